import { timestampDate } from '@bufbuild/protobuf/wkt';
import type {
  Capture as CaptureMessage,
  OptOutSignal as SignalMessage,
} from '@decorum/proto/decorum/crawl/v1/capture_pb.ts';
import { OptOutDecision, SignalSource, Truncation } from '@decorum/proto/decorum/crawl/v1/capture_pb.ts';
import type { EnumName, GivenName } from '../client/enum-names.ts';
import { givenNameOf, nameOf } from '../client/enum-names.ts';
import { present } from './present.ts';

/** One statement of a site about the use of its content, as found. */
export type OptOutSignal = {
  readonly source: EnumName<typeof SignalSource>;
  /** For example `X-Robots-Tag` or `meta robots`. */
  readonly name: string;
  readonly value: string;
};

/** What the signals mean for one purpose. */
export type OptOutVerdict = {
  readonly purpose: string;
  readonly decision: EnumName<typeof OptOutDecision>;
  readonly decidedBy?: OptOutSignal;
};

/** How a capture came to be. */
export type Provenance = {
  readonly address: string;
  /** SHA-256 of the robots.txt that allowed the fetch; absent when the origin has none. */
  readonly robotsVersion?: string;
  /** The deciding line, as `12: Allow: /a`; absent when no rule matched. */
  readonly robotsLine?: string;
  readonly policyVersion: number;
  readonly signals: readonly OptOutSignal[];
  readonly residency: string;
  /** The capture whose redirect led here. */
  readonly ledFromCaptureId?: string;
  readonly userAgent: string;
};

/** One stored exchange. Its bytes are read with `body`. */
export type Capture = {
  readonly captureId: string;
  /** The canonical URL that was requested. */
  readonly url: string;
  readonly fetchedAt?: Date;
  readonly statusCode: number;
  /** Response header lines, in the order received. */
  readonly headers: readonly { readonly name: string; readonly value: string }[];
  readonly contentType?: string;
  /** Of the payload as stored: transfer coding removed, content coding kept. */
  readonly payloadSha256?: string;
  /** `sha1:` and Base32. */
  readonly payloadSha1?: string;
  readonly bodyBytes: number;
  /** Why the body is shorter than what the site had. */
  readonly truncation?: GivenName<typeof Truncation>;
  readonly closeDelimited: boolean;
  /** The capture of the same URL that holds the body. */
  readonly revisitOfCaptureId?: string;
  readonly provenance?: Provenance;
  readonly optOuts: readonly OptOutVerdict[];
};

/** A capture's message as a plain object. */
export function toCapture(message: CaptureMessage): Capture {
  const { provenance } = message;
  return {
    captureId: message.captureId,
    url: message.url,
    ...present({ fetchedAt: message.fetchedAt && timestampDate(message.fetchedAt) }),
    statusCode: message.statusCode,
    headers: message.headers.map(({ name, value }) => ({ name, value })),
    bodyBytes: Number(message.bodyBytes),
    closeDelimited: message.closeDelimited,
    ...present({
      contentType: message.contentType,
      payloadSha256: message.payloadSha256,
      payloadSha1: message.payloadSha1,
      truncation: givenNameOf(Truncation, message.truncation),
      revisitOfCaptureId: message.revisitOfCaptureId,
      provenance: provenance && {
        address: provenance.address,
        ...present({ robotsVersion: provenance.robotsVersion, robotsLine: provenance.robotsLine }),
        policyVersion: Number(provenance.policyVersion),
        signals: provenance.signals.map(toSignal),
        residency: provenance.residency,
        ...present({ ledFromCaptureId: provenance.ledFromCaptureId }),
        userAgent: provenance.userAgent,
      },
    }),
    optOuts: message.optOuts.map(({ purpose, decision, decidedBy }) => ({
      purpose,
      decision: nameOf(OptOutDecision, decision),
      ...present({ decidedBy: decidedBy && toSignal(decidedBy) }),
    })),
  };
}

function toSignal({ source, name, value }: SignalMessage): OptOutSignal {
  return { source: nameOf(SignalSource, source), name, value };
}
