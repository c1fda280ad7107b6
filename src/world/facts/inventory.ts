/**
 * The fixed inventory from which every world draws its names. All worlds share it, so that one small
 * vocabulary writes each name in few tokens; which names exist and what is true of them differs.
 */
const words = (text: string): string[] => text.trim().split(/\s+/);

export const WOMEN = words(`
  Ada Alma Anna Asta Bela Celia Cleo Clara Cora Dana Delia Dora Edda Elena Elsa Esme Eva Fiona
  Flora Frida Gala Gerda Greta Hanna Hedy Helga Ida Ilsa Ines Irma Jana Joan Judit Karin Kira
  Laura Lea Lena Lidia Livia Lotte Lucia Magda Malin Maria Marta Mila Mina Mira Nadia Nina Nora
  Olga Paula Petra Rita Rosa Sara Selma Sigrid Sofia Sonja Stella Tamar Tessa Tilda Ursula Vera
  Viola Wanda Willa Yara Yvonne Zora
`);
const MEN = words(`
  Arlo Bruno Carl Dario Edgar Elias Emil Enzo Erik Felix Gustav Hector Henrik Hugo Igor Isak Ivan
  Ivo Jasper Jonas Jorun Julius Kai Klaus Lars Leon Linus Lorenz Luca Marco Max Moritz Nestor Noah
  Olaf Oscar Otto Pavel Pedro Rafael Ralf Roman Ruben Silas Simon Sven Theo Tobias Ulrik Victor
`);
export const FIRST_NAMES: readonly string[] = [...WOMEN, ...MEN];

/** First syllables of surnames, places and everything that carries an invented name. */
export const HEADS = words(`
  Kar Vel Tam Bor Dal Fen Gor Hal Jor Kel Lum Mar Nor Orb Pel Quin Ras Sol Tor Ulm Var Wex Yor Zan Bel
  Cor Dun Est Far Gil Har Is Kov Lan Mel Nav Ost Pra Rov Sel Tal Ur Vin Wol Zel Brin Cal Drav Fal Gan
  Hol Ker Lor Mon Nim Pol Rin Stan Tren Vos
`);

export const SURNAME_TAILS = words(`
  sin ben ric mond ner vik ley ton sen ko lov man ders rin cott berg dell ford win kas ric lund mark
  nell pell quist rath sky tano vane well yard zick ham bach dine gren hart
`);
export const CITY_TAILS = words(`
  nost burg ville mere stad port dale haven wick mouth grad field bury minster polis brook gate ridge
  cross furt holm thorpe beck chester
`);
export const COUNTRY_TAILS = words(`land avia istan oria umia enia alia asia onia eria`);
export const RIVER_TAILS = words(`na ga va ssa dra mina ora isk ula enna`);
export const THING_TAILS = words(`tex dor mar gon lex van tra nix zar lin rex tan`);

export const TITLE_FIRST = words(`
  Silent Golden Broken Hidden Distant Burning Frozen Crimson Hollow Bitter Velvet Paper Iron Glass
  Silver Wild Lonely Secret Ancient Empty Final Gentle Scarlet Northern Southern Eastern Western Little
  Second Third Last First Early Late Quiet Sudden Sacred Stolen Painted Wooden Copper Marble Amber Ivory
  Emerald Shadow Winter Summer Autumn Spring Midnight Morning Evening Endless Fading Falling Rising
  Drifting Dancing Sleeping Waking Forgotten Gilded Humble Proud Restless Tender Hungry Salted Tangled
  Wandering Whispering Woven Young Old Blue Green Black White Red Grey Cold Warm Deep High Low Long
  Open Plain Rare Sharp Soft Strange Sweet Tall Thin True Vast
`);
export const TITLE_SECOND = words(`
  Harbor Garden River Mountain Window Mirror Forest Island Bridge Castle Candle Lantern Letter Journey
  Station Winter Valley Meadow Ocean Desert Road Street Tower Market Voice Song Dance Dream Promise
  Stranger Sailor Doctor Teacher Painter Farmer Soldier King Queen Prince Child Mother Father Brother
  Sister Daughter Son Horse Wolf Fox Raven Swan Owl Tiger Lion Bear Whale Flower Rose Tree Leaf Stone
  Sand Storm Rain Snow Wind Fire Smoke Ash Star Moon Sun Sky Cloud Shore Wave Anchor Compass Clock
  Engine Train Ship Wheel Crown Sword Shield Key Door House Room Table Chair Bell Drum Piano Violin
  Circus Theatre Kitchen Orchard Vineyard Border Empire Village
`);

export const COMPANY_WORDS = words('Works Motors Mills Foods Steel Group Systems Airlines Press');
export const AWARD_WORDS = words('Prize Medal Award');
export const BAND_WORDS = words('Quartet Trio Ensemble Band');

export const CURRENCIES = words(`
  crona florin dalar peso mark lira rupel zloty koren talent guilder sol dinar ruble shilling thaler
  ducat franc
`);
export const LANGUAGES = words(`
  Karnish Velian Tamish Borish Dalian Fennish Gorian Halish Kelian Lumish Marian Norish Pelian Solish
  Torian Ulmish
`);
export const FIELDS = words(`
  physics chemistry poetry medicine music architecture mathematics history biology astronomy painting
  law geology engineering
`);
export const GENRES = words('jazz folk rock opera blues swing soul techno punk ballad');

/** Words that should be one piece each in a vocabulary. */
export const WHOLE_WORDS: readonly string[] = [
  ...FIRST_NAMES,
  ...TITLE_FIRST,
  ...TITLE_SECOND,
  ...COMPANY_WORDS,
  ...AWARD_WORDS,
  ...BAND_WORDS,
  ...CURRENCIES,
  ...LANGUAGES,
  ...FIELDS,
  ...GENRES,
];
