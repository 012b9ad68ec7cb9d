/* What tenants import: everything else of the SDK may change between releases. */
export { connect } from './client/connect.ts';
export type { ConnectOptions, Decorum } from './client/connect.ts';
export { DecorumError } from './client/decorum-error.ts';
export type { DecorumErrorCode } from './client/decorum-error.ts';
export type { Body, BodyCodingName, BodyOptions } from './client/body.ts';
export type { ExtractionName, FetchInput, ReasonName } from './client/fetch-input.ts';
export type { SubmitOptions, SubmitOutcome } from './client/submit-requests.ts';
export type { Capture, OptOutSignal, OptOutVerdict, Provenance } from './results/capture.ts';
export type { DeliveredResult, ResultsOptions } from './results/consume-results.ts';
export type { ResultAnswer } from './results/get-results.ts';
export type { LaneName } from './results/lane.ts';
export type { ResultSelection } from './results/read-items.ts';
export type { ExtractedDocument, Result, ResultTimes } from './results/result.ts';
