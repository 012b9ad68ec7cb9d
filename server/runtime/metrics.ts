import type { Meter } from '@opentelemetry/api';
import { PrometheusExporter, PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import { MeterProvider } from '@opentelemetry/sdk-metrics';

/** The metrics of a process. */
export type Metrics = AsyncDisposable & {
  /** Names instruments `decorum.<area>.<what>`; attributes never hold a URL, a domain or anything else without bound. */
  readonly meter: Meter;
  /** The present values in Prometheus' text format. */
  readonly render: () => Promise<string>;
};

/** Starts collecting; nothing listens, since our own HTTP listener serves what `render` answers. */
export function createMetrics(): Metrics {
  const reader = new PrometheusExporter({ preventServerStart: true });
  const provider = new MeterProvider({ readers: [reader] });
  const serializer = new PrometheusSerializer(undefined, false, undefined, true, true);

  return {
    meter: provider.getMeter('decorum'),
    async render() {
      const { resourceMetrics, errors } = await reader.collect();
      if (errors.length > 0) throw new AggregateError(errors, 'a metric could not be read');
      return serializer.serialize(resourceMetrics);
    },
    [Symbol.asyncDispose]: () => provider.shutdown(),
  };
}
