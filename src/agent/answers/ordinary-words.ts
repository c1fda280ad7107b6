/**
 * Words of English that name nothing by themselves, so that names can be found in a question written without
 * capitals. The list holds stems that running text of Wikipedia mostly writes in lower case, by frequency.
 */

const STEMS = new Set(
  `
abandoned abbreviated abbreviation ability able aboard abolished about above abroad absence abuse academic
academy accept access accessible accident acclaim accompanied accompanying accomplished according account
accused achieve acid acknowledged acoustic acquired acquiring acquisition acre acronym across act activist
activity actress actual adapt adaptation adapted add addition address adherents adjacent adjective administered
administration administrative administrator admitted adopted adult advance advantage adventure advertising
advice adviser advisor advocate affair affected affiliate after aftermath afterwards again against age agency
agent aggressive ago agree agreed agreement agriculture ahead aid aim air aircraft airline airport aka album
alcohol algorithm alien alive all alleged allegiance alliance allow ally alma almost alone along alongside
alphabet alpine already also altered alternate although altitude always amateur ambassador amendment among
amongst amount amusement analysis ancestor ancestral ancestry anchor ancient and angry animals animated anime
annexed anniversary announced annual another ant antagonist anthem anthology anti any apart apparent appeal
appear appearance application apply appointed appointment approach approval approved approximately architect
architecture are area arena argued argument aristocrat arm army arose around arranged arrangement arranger
arrest arrival arrived art article artillery artistic artwork ascended ask asked aspects assassinated
assassination assault assembly assets assigned assistance assistant assisted associate assumed astronaut athlete
atom atomic attack attained attempt attend attention attorney attracted attraction attributed audience audio
aunt author authorities auto autobiographical automatic automobile autonomous available avant average aviation
avoid award awareness away baby back background baker balance ball ballad ballet ban banana band bands bank bar
barony base baseball basic basin basis basketball bassist batsman battery batting battle bay beach bear beat
beauty became because become bed bee been beer before began begin begun behalf behind being belief believe
belong below benefit besides best better between beverage beyond bible biblical bid big bigger biggest bike
billed billion bin bint biographical biography biologist biopic bird birds birth birthday birthplace bishop bit
black block blockbuster blood blue bluegrass board boat body bomb bone bonus book boom border bore born borough
boss botanist both bottom bought boundary bounded bowl box boy boyfriend brain branch brand bread break
breakthrough bred breed brick bridge brief bright bring broad broadcast broke broken bronze brother brought
browser budget bug build buildings built burial buried burned bus busiest business businessman but butter buy
cabinet cable cake calculate calendar caliph call came cameo camera camp campaign campus can cancelled cancer
candidate cannot canon canton capable capacity capita capital captain capture car cards care carry cartoon case
cash casino cast castle cat catch catcher category cathedral cattle caught cause cavalry ceased ceded celebrate
celebrity cell census center centre century ceremony certain certified chain chair chairman challenge chamber
champion championships chance change channel chapel chapter character characteristics characterized charge
charity chart cheap check cheese chef chemical chemist chemistry chief child childhood children choice choir
choose choral choreographer chorus chose chosen chronicles chronology church cinema cinematic cinematographer
cinematography circuit circulation circumstances citation cited citizen city civil civilian claim claimant clan
class classic classified classmate clear climate clock close clothing club coach coal coalition coast coat code
coffee coined cold collaborated collaboration collaborator collapse collected collection collective college
colony color colour column com combat combination combined combining come comedian comedic comedy comet comic
command commenced commentary commentator commerce commercial commissioned commissioner committed committee
common commune communication communities compact companion company compare compared compatible compete
competition competitive competitors compilation compiled complete complex component composed composer composing
composition comprehensive comprise compute computer conceived concentration concept concern concert concluded
concubine condition conducted conductor conference confirm confirmed conflict confluence confused conglomerate
congress congressional connected connecting connection connects conquered conquest consecutive conservation
conservative consider consist consisted consistent consisting consists console consolidated consort conspiracy
constant constituency constituted constitution constructed construction consul consultant consumer contact
contain contemporary content contest contestants context continent continue continuous contract contrast
contributed contributing contribution control controversy convention converted convicted conviction convinced
cook copper copy core corn corner coronation corporate correct correspondent corruption cost costume cotton
could council count countess country county coup couple course court courtier cousin cover coverage cow crash
create credit creek crew cricket crime criminal crisis critic criticism criticized cross crossover crown cry
cult cultivated culture cup currency current customer customs cut cycle cyclone dad dam damage dance dark data
date daughter day dead deal dealt death debate debt debut decade deceased decide decision decisive declare
decline decree dedicated deemed deep deepest defeat defence defend defense define defined definition defunct
degree delivered delivery demand democracy demolished den denied density depart department departure depending
depict depicted depicting depicts deposed depression depth deputy derived derives descendant descended descent
describe description desert design designated desire desk despite destination destroyed destroyer destruction
detailed details detective determine develop device devoted dialogue did didn die differ difference different
difficult difficulties diffusion digital diplomat diplomatic direct directorial disappeared disaster disbanded
disc discontinued discover discoverer discovery discuss disease dismissed display dispute dissolution dissolved
distance distant distinct distinguish distributed distribution distributor district diverse divided division
divorce doctor doctoral doctorate document documentary does dog doing dollars domestic dominant dominated
donated done door dos double down download downtown dozen draft drag drains drama dramatic dramatist drank draw
drawn dream dress drew drink drive driven driver drop drove drug drum drunk dry dual dubbed due duet duke duo
during duties dying dynasty dystopian each eagle ear earldom early earn earth earthquake easily east eastern eat
economic economist economy edge edit edited editing edition editor educated education educator effect
effectively effort egg eight eighteen eighth either elder eldest elect electoral electric electronic element
elephant elevated elevation eleven eleventh eligible eliminated elite else elsewhere email embassy emerged
emergency emeritus emigrated emotional emperor emphasis empire employ employed employee employment employs
empress empty encompasses encompassing encounter encouraged end endemic enemy energy enforcement engaged
engagement engine engineering enjoyed enough enrolled enrollment ensemble enter entertainer entertainment entire
entirety entitled entity entrance entrepreneur entry envelope environment epic episode eponymous equal equipment
equipped equivalent era erotic escape especially essay essentially establish estate estimate etc ethnic even
event eventual ever every evidence evil evolution evolved exact example except exchange excluding exclusive
executed execution executive exhibited exhibition exile exist existence expanded expansion expected expedition
expensive experience experimental expert explain explanation exploitation explore export expressed expression
extant extend extension extensive extent external extinct extra extreme eye face facility fact facto factory
faculty failed failure fairy faith fall false fame familiar family famous fan fantasy far farm farmer farther
fashion fast fastest father favor favorite favour feared feast feat feature federal fee feelings feet fell
fellow felt female feminist festival few fiction field fifteen fifth fifty fight figure fill film filmmaker
filmmaking finale finance financial financier find fine finger finish fire firm first fish fitness five flag
flat fled fleet flew flight floor flow flower flowering flown fly focus folk follow food foot footage football
for force foreign forests forget forgot forgotten form format formerly fortress fortune forty forward fought
found four fourteen fourteenth fourth fox frame franchise free freedom frequent fresh friend frog from front
frontier frontman frozen fruit fuel full fully function fund further future gain galaxy game gangster garde
garnered gas gave gay geese gender gene genera general generated generation genetic genocide genre genus
geographical get giant gift girl girlfriend give given glass global glove gmina goal goalkeeper goat god goddess
goes going gold golf gone good gospel got govern governed governing government governor grade gradually graduate
grand grandchild granddaughter grandfather grandma grandmother grandpa grandparents grandson granted graphic
grass great greater green grew gross ground group grow grown growth guard guess guest guitar gun guy had hair
half hand handled happen happened happy hard hardcore hardware has hat have head headquartered headquarters
health healthy hear heard heart heaviest heavy heavyweight hedge height heir heiress held helmed helmet help
hemisphere hence her here hereditary heritage hero herself hiatus hibiscus hide high highest highway hill him
himself hip hired his historian historic history hit hockey hold holiday homage home hometown honor honorary
honour hop hope horror horse hospital host hot hotel hour house household how however hub huge human humor
humorous hundred hunting hurricane husband hydrogen hyun ibn ice icon iconic idea identical identified identity
ill illegal illegitimate illustrated illustrator image immediate immigrants impact impeachment imperial
importance important imprisoned improve inaugural inception inch incident include income incorporated
incorporates increase increasingly incumbent indeed independence independent indie indigenous individual indoor
inducted industry infantry influence influential information infrastructure inhabitants inhabited inheritance
inherited initial initiated initiative injured injury ink inner innovative insect inside inspiration inspired
installed installment instance instead institute institution instruction instructor instrument insurance
integral integration intellectual intelligence intended intense intention inter interested interests interface
interim interior intern internal international internet interpretation intersection interview into introduced
introducing introduction invade invaded invasion invent invented inventor investigation investment investor
invited involved involvement involves involving iron island issue items its itself jazz job join joint journal
journalism journey judge junction junior jurisdiction jury just justice keep kept key keyboard kill kilometres
kind king kingdom knew knife knight know knowledge known label labor labour lack lady laid lake lamp land
landmark landowner landscape language laptop large last late latter launch law lawyer lead leadership leaf
league learn learned learning learnt least leave leaves lecturer led left leg legacy legend legendary
legislation legislative legislature legitimate lemon lend length lens lent less letter level liberal library
libretto license lie lies lieutenant life lifestyle lifetime light like limit line lineup link lion list listen
lit literacy literally literary literature little live load loan local located location locomotive logic long
longest longtime look loosely lord lose losses lost lot love low luxury lyric lyricist lyrics mac machine made
magazine magnate mail main mainland mainstream maintain major make makeup male mall man manage mansion
manufactured manufacturer manufactures manufacturing many map mark market marriage marry martial mascot mass
master match mater material maternal mathematician mathematics matter maximum may mean meaning meant measures
meat medal media median medical medicine medieval medium meet meetings melodrama melody member memoir memory men
mental mention merchant merged merger message met metalcore method metres metropolitan mice mid middle
midfielder might migration mile military militia milk million min mine mini minimum miniseries minister minority
minute mirror missile missing mission missionary mistress mix mixtape mobile mode model moderate modern modified
molecule mom monarch monarchy monastery money monk monkey month monument moon more morning mosque most mother
motion motor motorway mountain mounted mouth move movie mph much multi multinational multiple mum municipal
municipalities murder museum music musicals musician must mysterious mystery mysticism myth mythology name
namesake narrated narrative narrator narrow nation nationalism nationalist nationality nationwide native nature
nautical naval near nearby necessary need negative negotiations neighborhood neighboring neighbouring neither
neo nephew net network never new newspaper next nickname niece night nine nineteenth ninth nobility noble
nobleman noblewoman noir nominated nomination nominee non none nor normally north northeast northeastern
northern northwest northwestern nose not notably note nothing notorious noun novel novella now nuclear number
numerous nun nurse object observation observed obtain occasional occasions occupation occupied occur ocean off
offensive offered offering office official often oil old oldest once one ongoing onion online only onto onwards
open opera operate operatic operational operetta opinion opponent opportunity opposed opposite orbit orchestra
orchestral order ordinary organ organic organisation organised organization organized oriented origin originated
originates originating other otherwise our out outbreak outdoor outlet outline output outside outstanding over
overall overseas overthrown owl own ownership package page painted painter painting palace panel papal paper
parallel parent parish park parliament parliamentary parody part participants participate particular partner
party pass passenger password past patent paternal path patron pattern pay peace peak peer pen penalty pencil
peninsula people per perceived percent percentage percussion perennial perform performance perhaps period
permanent person personality personnel perspective petroleum phase philanthropist philosopher philosophical
philosophy phone photographer photographs photography phrase physical physician physicist physics pianist piano
pick picture pie piece pig pilot pioneer pitcher pivotal pizza place plague plan plane planet plant platform
platinum play playoffs playwright pledge plot plus poem poet poetry point poker police policy political
politician politics poll poor pop popular populated population populous port portrait portray portrayal
portrayed portraying portrays position positive possible possibly post postcode posthumous potato potential
poverty powder power practice praise pre preceded preceding predecessor predominantly preferred prelate premiere
prepared prequel presence present preserve presidency president presidential press pressure prestigious prevent
previous priest primary prime prince princess principal principle print printer prior prison private prize pro
probably problem process proclaimed produce product profession professor profile profit program programme
progress project prolific prominence prominent promote promotional pronounced pronunciation propaganda proper
property proposed protagonist protect protest proved provide province provincial pseudonym psychedelic
psychological psychology public publish pull punk pupil purchase purpose pursue push pushed put qualify quality
quantum quarter quarterback queen question quickly quite rabbit race racial radar radiation radical radio raid
rail railroad railway raise ran ranch rang range rank rankings rap rapid rare rate rather ratings ratio reach
reaction read real realm rear reason rebel rebuilt receive recent reception recipient recognised recognition
recognized recommend record recordings recovered recurring red reduce refer referee reference reflect reform
refugees refused regard regency regent regime regiment region registered regular reign reissued rejected
rejoined related relation relationships relative relay release religion religious relocated remade remain
remainder remake remarried remember remembered remix remote removed renamed renewed renowned repair repeated
replace reply report reportedly represent representative reprised reprising republic reputation request required
rescue research resemble reserve resided residence resident residential resides residing resignation resigned
resistance resolution resort resource resources respect respectively response responsibility responsible rest
restaurant restoration restored result resumed retail retained retired retirement retiring return reunited
revealed revenge revenue reviews revised revival revived revolt revolution revolutionary revolves rhythm rice
rich richest rid ride rifle right ring rise risk rival rivalry river road rock role roll romance romantic room
roots rose roughly round route row royal rugby rule run rung rural sad safety sailor saint salary sale salt same
sang sat satellite satire satirical sauce save saw saxophonist say scale scandal scene schedule scheme scholar
school science scientific scientist score screen screenplay screenwriter script sculptor sculpture sea search
season seat second secondary secret secretary section sector secular secure see seed seek seems seen segment
select self sell selo semi send senior sense sent sentence sentenced separate sequel sequence serial series
serious servant serve service session set settings settled settlement settlers settling seven seventeen seventh
several sex sexual shape share shareholder shark she sheep shifted ship shirt shoe shooting shop shore short
shortened shortest shot should show showcased shown shrub sibling sick side siege sign signature significance
significant silent silver similar simple simply simultaneously since sing single sister sit sitcom site sitting
situated situation six sixteen sixteenth sixth size sketch ski skills skin skyscraper slasher slave slavery
sleep slept slightly slot small smaller smallest smooth snake soap soccer social society soft software soil
solar sold soldier sole solo solutions some someone something sometime somewhat son song songwriter songwriting
soon soprano sought soul sound soundtrack soup source south southeast southeastern southern southwest
southwestern sovereign space span spawned speak special specialized specializes specializing species specific
speech speed spelled spend spent spin spiritual split spoken sponsor sport spot spouse spread spring sprung spy
squadron square stable stadium staff stage stamp stand standard star start state statesman stationed statistical
statue stay steal steam steel step stepfather stepmother still stint stock stolen stone stood stop storage store
storm story storyline straight strategic streak stream street strength strike string strip stroke strong struck
structure struggle stuck student studio study stuff style stylized sub subject submitted subsequent subsidiary
substantial suburb suburban succeed success successfully such suddenly suffered suffering sugar suggest suicide
sum summary summer summit sun sung superhero supernatural supper supply support supposed surface surname
surpassed surrender surrounded surrounding survey survive suspended swam swim switched sword swum symbol
syndicated synonym system table take taken tale talent talk tall tallest tank target taught tax tea teach
teacher teaching team teammate technical technique technology teen teenage teenager teeth telenovela televised
television tell temperate temperature temporary ten tennis tenth tenure term terminal terminus territory test
text than that the theater theatre theatrical them theme themselves then theologian theology theoretical theory
there thereafter therefore these thesis they things think third thirteen thirteenth thirty this those though
thought thousand threat threatened three threw thriller throne through throughout throw thrown thus ticket tie
tiger till time title titular today toddler together told tomato tone tonic too took tool top topic total tour
tournament toward tower town toy track trade trademark tradition traffic tragedy train transactions transfer
transformed transition translate translated translation translator transmitter transport travel treated
treatment treaty treble tree trend trials tribe tributary tribute trilogy trio trip triple troops trophy
tropical troubled truck true trust try tune turn twelfth twelve twentieth twenty twice twin two tycoon type
typical ultimately unable uncle unclear uncredited under undergraduate underground understanding unemployment
unincorporated union unique unit universe universities unknown unlike unofficial unreleased unsuccessful until
unusual upcoming upon upper uprising urban use using usual valley value van variant variety various vary vast
vehicle venture venue verb verify verse very veteran via vice vicinity victims victory video view village vinyl
violence violent violin violinist virtually virus visible vision visit visual vocal voice volleyball volume
volunteer vote vowel waiting wake walk wall wanted war warfare warm warning warrior was watch water watershed
wave way wealth wealthy weapons wearing weather web website wedding week weekend weight well went were west
western whale what wheat wheel when where whereas whether which while whilst white who whole whom whose wide
widespread widow wife wild will win winds wine wing winter wire wish with withdrew within without woken wolf
wolves woman women won wooden word wore work world worldwide worn worst worth would wounded wrestler wrestling
write writings written wrong wrote www yards year yellow yet you young youngest youth zone
`
    .trim()
    .split(/\s+/u),
);

/** Longest first: the first that leaves a stem of three letters is not the only one tried. */
const ENDINGS =
  `ations ation ally ments ment ships ship ness able less ions ion ists ist ity ive ful ing est ers
  ors er or es ed al ly rs s d r`.split(/\s+/u);

/** Spellings of a stem before an ending: "mak-ing", "run(n)-ing", "stori-es". */
const spellings = (cut: string): string[] => [
  cut,
  `${cut}e`,
  ...(cut.at(-1) === cut.at(-2) ? [cut.slice(0, -1)] : []),
  ...(cut.endsWith('i') ? [`${cut.slice(0, -1)}y`] : []),
];

/** Whether a folded word is an ordinary one, in any inflection. Words of one or two letters are. */
export const isOrdinary = (word: string): boolean =>
  word.length < 3 ||
  STEMS.has(word) ||
  ENDINGS.some(
    (ending) =>
      word.endsWith(ending) &&
      word.length - ending.length >= 3 &&
      spellings(word.slice(0, -ending.length)).some((stem) => STEMS.has(stem)),
  );
