import { itemAt } from '../../base/items.ts';
import type { Compared, Pair } from './compared.ts';

/**
 * Questions whether two things are of one country: what a thought may write out before its verdict. Countries are read by
 * their names; they are said only where they are shown and give the gold answer.
 */

/** Adjective and name of a country; those that are written alike once. */
const COUNTRIES = [
  'American|United States|U.S.|USA',
  'British|English|Scottish|Welsh|United Kingdom|England|Scotland|Wales|UK',
  'Indian|India',
  'French|France',
  'German|Germany',
  'Italian|Italy',
  'Spanish|Spain',
  'Canadian|Canada',
  'Australian|Australia',
  'Iranian|Iran',
  'Chinese|China',
  'Japanese|Japan',
  'Russian|Russia|Soviet',
  'Polish|Poland',
  'Swedish|Sweden',
  'Norwegian|Norway',
  'Danish|Denmark',
  'Finnish|Finland',
  'Dutch|Netherlands',
  'Belgian|Belgium',
  'Swiss|Switzerland',
  'Austrian|Austria',
  'Hungarian|Hungary',
  'Czech|Czech Republic|Czechoslovak',
  'Slovak|Slovakia',
  'Romanian|Romania',
  'Bulgarian|Bulgaria',
  'Greek|Greece',
  'Turkish|Turkey',
  'Israeli|Israel',
  'Egyptian|Egypt',
  'South African|South Africa',
  'Nigerian|Nigeria',
  'Kenyan|Kenya',
  'Brazilian|Brazil',
  'Argentine|Argentinian|Argentina',
  'Mexican|Mexico',
  'Chilean|Chile',
  'Peruvian|Peru',
  'Bolivian|Bolivia',
  'Colombian|Colombia',
  'Venezuelan|Venezuela',
  'Cuban|Cuba',
  'Irish|Ireland',
  'Portuguese|Portugal',
  'Ukrainian|Ukraine',
  'Belarusian|Belarus',
  'Serbian|Serbia',
  'Croatian|Croatia',
  'Slovenian|Slovenia',
  'Estonian|Estonia',
  'Latvian|Latvia',
  'Lithuanian|Lithuania',
  'Pakistani|Pakistan',
  'Bangladeshi|Bangladesh',
  'Sri Lankan|Sri Lanka',
  'Nepalese|Nepali|Nepal',
  'Afghan|Afghanistan',
  'Thai|Thailand',
  'Vietnamese|Vietnam',
  'Indonesian|Indonesia',
  'Malaysian|Malaysia',
  'Filipino|Philippine|Philippines',
  'South Korean|South Korea',
  'New Zealand',
  'Icelandic|Iceland',
  'Jamaican|Jamaica',
  'Georgian',
  'Armenian|Armenia',
  'Azerbaijani|Azerbaijan',
  'Syrian|Syria',
  'Lebanese|Lebanon',
  'Iraqi|Iraq',
  'Moroccan|Morocco',
  'Algerian|Algeria',
  'Tunisian|Tunisia',
  'Ethiopian|Ethiopia',
  'Ghanaian|Ghana',
  'Hong Kong',
  'Taiwanese|Taiwan',
].map((names) => names.split('|'));

const NAMES = new Map(COUNTRIES.flatMap((names, i) => names.map((name) => [name, i] as const)));
const NAME = new RegExp(
  `(?<![\\p{L}\\p{N}])(?:${[...NAMES.keys()]
    .toSorted((a, b) => b.length - a.length)
    .map((name) => name.replaceAll('.', '\\.'))
    .join('|')})(?![\\p{L}\\p{N}])`,
  'u',
);

const asksForCountry = (text: string): boolean =>
  /\b(?:same|share)\b.*\b(?:country|nationality)\b/iu.test(text);

/**
 * Lines such as `Old Wolf: French`, one for each of the two things.
 * @returns null where the question asks something else, or what is read does not give the answer
 */
export function comparedCountries({ text, answer }: Compared, pair: Pair): string[] | null {
  if (!asksForCountry(text)) return null;
  const read = pair.sides.flatMap(({ pages, line }) => {
    const name = pages.map((page) => NAME.exec(page)?.[0]).find((one) => one && pair.shows(one));
    return name === undefined ? [] : [{ country: NAMES.get(name), line: line(name) }];
  });
  if (read.length !== 2) return null;
  const same = itemAt(read, 0).country === itemAt(read, 1).country;
  return answer.toLowerCase() === (same ? 'yes' : 'no') ? read.map(({ line }) => line) : null;
}
