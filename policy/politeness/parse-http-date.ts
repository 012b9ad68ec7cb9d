const DAY_NAME = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)';
const LONG_DAY_NAME = '(?:Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday)';
const MONTH_NAMES = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const MONTH = `(?<month>${MONTH_NAMES.join('|')})`;
const DAY = '(?<day>[0-9]{2})';
const YEAR = '(?<year>[0-9]{4})';
const TIME = '(?<hour>[0-9]{2}):(?<minute>[0-9]{2}):(?<second>[0-9]{2})';

/** IMF-fixdate, rfc850-date and asctime-date. */
const FORMS = [
  new RegExp(`^${DAY_NAME}, ${DAY} ${MONTH} ${YEAR} ${TIME} GMT$`),
  new RegExp(`^${LONG_DAY_NAME}, ${DAY}-${MONTH}-(?<shortYear>[0-9]{2}) ${TIME} GMT$`),
  new RegExp(`^${DAY_NAME} ${MONTH} (?<day>[0-9]{2}| [0-9]) ${TIME} ${YEAR}$`),
];

/** How far ahead a two-digit year may lie before it is taken for one of the century before. */
const SHORT_YEAR_AHEAD_MAX = 50;

/**
 * Reads an HTTP-date in any of its three forms (RFC 9110 §5.6.7), case-sensitively and independent of the time zone;
 * nothing for other text and for days and times that do not exist. Second 60 is the first of the next minute. The day
 * name is not compared with the date. `now` dates two-digit years.
 */
export function parseHttpDate(text: string, now: Date): Date | null {
  const fields = FORMS.map((form) => form.exec(text)?.groups).find((groups) => groups !== undefined);
  if (fields === undefined) return null;
  const { year, shortYear } = fields;
  if (year !== undefined) return dateInYear(Number(year), fields);
  return dateInShortYear(Number(shortYear), fields, now);
}

type Fields = Readonly<Record<string, string>>;

/** The latest year that ends with these digits and puts the date at most 50 years ahead. */
function dateInShortYear(shortYear: number, fields: Fields, now: Date): Date | null {
  const horizon = new Date(now);
  horizon.setUTCFullYear(now.getUTCFullYear() + SHORT_YEAR_AHEAD_MAX);
  const horizonYear = horizon.getUTCFullYear();
  const year = horizonYear - ((horizonYear - shortYear) % 100);
  const date = dateInYear(year, fields);
  return date !== null && date > horizon ? dateInYear(year - 100, fields) : date;
}

function dateInYear(year: number, fields: Fields): Date | null {
  const { month = '', day, hour, minute, second } = fields;
  const monthIndex = MONTH_NAMES.indexOf(month);
  const date = new Date(0);
  date.setUTCFullYear(year, monthIndex, Number(day));
  if (date.getUTCMonth() !== monthIndex || date.getUTCDate() !== Number(day)) return null;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 60) return null;
  date.setUTCHours(Number(hour), Number(minute), Number(second));
  return date;
}
