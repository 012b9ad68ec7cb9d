import type { Config } from '../../config/config.ts';
import { ConfigError } from '../../config/config-error.ts';
import { loadConfig } from '../../config/load-config.ts';
import type { Finding } from './finding.ts';
import { fail, ok, warn } from './finding.ts';

/** The platform's settings, as `npm start` would read them here; without them when they can't be used. */
export function checkConfig(load: () => Config = loadConfig): {
  config: Config | undefined;
  findings: Finding[];
} {
  try {
    const config = load();
    const warnings = config.warnings.map((text) => warn('configuration', text, 'Correct or unset it.'));
    const roles = [...config.roles].join(', ');
    return {
      config,
      findings: [ok('configuration', `roles ${roles}; data in ${config.dataDir}`), ...warnings],
    };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const findings = error.problems.map(({ variable, problem, remedy }) =>
      fail('configuration', `${variable}: ${problem}`, `${remedy}.`),
    );
    return { config: undefined, findings };
  }
}
