import { create } from '@bufbuild/protobuf';
import { durationFromMs, durationMs as toMs, DurationSchema, type Duration } from '@bufbuild/protobuf/wkt';

/** A duration in milliseconds; undefined when the field is absent. */
export function durationMs(duration: Duration | undefined): number | undefined {
  return duration === undefined ? undefined : toMs(duration);
}

/** A duration from milliseconds, whole microseconds; undefined from null or undefined. */
export function msDuration(ms: number): Duration;
export function msDuration(ms: number | null | undefined): Duration | undefined;
export function msDuration(ms: number | null | undefined): Duration | undefined {
  if (ms === null || ms === undefined) return undefined;
  return Number.isFinite(ms) ? durationFromMs(Math.round(ms)) : create(DurationSchema);
}
