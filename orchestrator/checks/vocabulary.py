"""Closed lists of English words that decide how a figure is read. Data, no rules."""

from __future__ import annotations

from typing import Final

from orchestrator.claims.words import word_set

FUNCTION: Final = word_set(
    "a an the this that these those our your their its his her my we you they it he she i us them and "
    "or but nor "
    "so if as at by to for from with without in on of into onto over under about around than then "
    "when where while "
    "which who whom whose what how is are was were be been being am 's 're 've 'll 'd has have had "
    "having do does "
    "did will would can could shall should may might must not no also only just very too still "
    "already now again "
    "there here up down out off all each every per plus both more most approximately nearly almost "
    "roughly some any "
    "other such currently today yet even ever never well right really quite rather pretty um uh er ah "
    "okay ok yes "
    "like actually basically simply exactly precisely fully slightly little bit good let's we're it's that's "
    "we've we'll i'm they're there's before earlier ago itself themselves"
)
"""Words that say nothing about what is measured."""

LINKS: Final = word_set(
    "is are was were be been being has have had stand stood sit sat come came run ran reach reached "
    "hit total "
    "totalled totaled amount amounted remain remained stay stayed end ended finish finished close "
    "closed land landed "
    "average averaged grow grew grown growing rise rose risen rising increase increased increasing "
    "climb climbed jump "
    "jumped surge surged expand expanded improve improved go went gone going get got exceed exceeded "
    "top topped "
    "surpass surpassed pass passed touch touched fall fell fallen falling drop dropped dropping "
    "decline declined "
    "declining decrease decreased slip slipped shrink shrank shrunk reduce reduced cut bring brought "
    "take took make "
    "made cost equal measure measured record recorded report reported post posted show shown book "
    "booked generate "
    "generated deliver delivered achieve achieved see saw seen keep kept hold held work worked mean "
    "meant lie lay "
    "hover hovered peak peaked settle settled count counted look sum added add give gave yield use "
    "need last lasted "
    "spend spent worth exceeding totalling averaging reaching standing sitting coming running level "
    "figure rate number "
    "value amount ratio percentage score result back fluctuate range say said say put place tell told "
    "know think "
    "believe want like mean call called doubled double tripled tripling halved sell sold earn earned "
    "lose lost pay paid "
    "employ employed serve served operate operated support manage managed own owned supply begin "
    "began start started"
)
"""Verbs and nouns that may stand between a metric's name and its number."""

GENERIC: Final = word_set(
    "company business group firm total overall whole entire full organisation organization our own "
    "year quarter month "
    "week day end start date time moment board slide page chart table figure number level base basis "
    "book hand place "
    "fact audited annual annually yearly current present latest recent actual healthy strong record "
    "solid impressive "
    "great nice remarkable respectable stable steady roughly exact exactly mere staggering whopping "
    "modest low high "
    "account rate value amount result performance plan side point way bit sum term line all far "
    "average size count "
    "percent percentage euro dollar pound franc people's team's world last this past now today around "
    "general new "
    "worldwide globally stood single headline key happy proud pleased news story short period fiscal "
    "financial "
    "calendar ytd date good bad big large small little lot best worst approximate cagr survey audit "
    "clear comparison estimated right combined "
    "happily disappointing encouraging unchanged important main core real sheer enough course money"
)
"""Words that may be there or not without making it another figure."""

POPULATIONS: Final = word_set(
    "customer client household patient member reader user student parent visitor guest passenger "
    "resident citizen "
    "subscriber tenant shopper pupil owner farmer donor policyholder buyer account giver supporter "
    "player viewer "
    "listener traveller consumer family learner caller borrower saver investor discharged paying regular"
)
"""Whom an organisation serves, by any name."""

ORGANISATIONS: Final = word_set(
    "city town municipality county club hospital clinic school university college bank cooperative charity "
    "association foundation museum port airport utility insurer agency council hotel brewery farm "
    "library theatre "
    "publisher retailer union portfolio network fleet membership payroll department trust practice "
    "parish institute "
    "station programme operator service community society academy company organisation centre house project"
)
"""What a presenter may call the whole of their own organisation: "the city has 361,000 residents"."""

MODIFIERS: Final = {
    "gross": "gross",
    "net": "net",
    "organic": "organic",
    "adjusted": "adjusted",
    "underlying": "adjusted",
    "normalised": "adjusted",
    "normalized": "adjusted",
    "reported": "reported",
    "statutory": "reported",
    "average": "average",
    "mean": "average",
    "median": "median",
    "typical": "average",
    "new": "new",
    "additional": "new",
    "further": "new",
    "extra": "new",
    "incremental": "new",
    "another": "new",
    "existing": "existing",
    "recurring": "recurring",
    "active": "active",
    "registered": "registered",
    "annualised": "annualised",
    "annualized": "annualised",
    "monthly": "monthly",
    "quarterly": "quarterly",
    "weekly": "weekly",
    "daily": "daily",
    "cumulative": "cumulative",
    "cumulatively": "cumulative",
    "consolidated": "consolidated",
    "proforma": "proforma",
    "peak": "peak",
    "maximum": "peak",
    "max": "peak",
    "minimum": "least",
    "lowest": "least",
    "highest": "peak",
    "best": "peak",
    "worst": "least",
    "like": "like-for-like",
    "constant": "constant currency",
    "weighted": "weighted",
    "unweighted": "unweighted",
    "qualified": "qualified",
    "signed": "signed",
    "committed": "committed",
    "contracted": "contracted",
    "paying": "paying",
    "paid": "paid",
    "free": "free",
    "trial": "trial",
    "former": "former",
    "prospective": "prospective",
    "potential": "potential",
    "pilot": "pilot",
    "largest": "largest",
    "biggest": "largest",
    "smallest": "smallest",
    "remaining": "remaining",
    "forward": "forward",
    "blended": "blended",
    "direct": "direct",
    "indirect": "indirect",
    "external": "external",
    "internal": "internal",
    "planned": "planned",
    "budgeted": "planned",
    "permanent": "permanent",
    "temporary": "temporary",
    "part-time": "part-time",
    "unique": "unique",
    "cash": "cash",
    "ex": "ex",
    "excluding": "excluding",
    "including": "including",
    "diluted": "diluted",
    "voluntary": "voluntary",
    "outstanding": "outstanding",
    "open": "open",
    "closed": "closed",
    "first": "first",
    "second": "second",
    "third": "third",
    "initial": "first",
    "other": "other",
    "remainder": "remaining",
    "individual": "individual",
    "top": "top",
    "early": "early",
    "late": "late",
    "recent": "recent",
    "joint": "joint",
    "unpaid": "unpaid",
    "lost": "lost",
    "more": "new",
    "avg": "average",
    "non": "non",
    "un": "non",
}
"""Words that make another figure of the same metric, by the name that they are compared with."""

HEDGES: Final = frozenset({"about", "nearly", "over", "under", "range", "part"})
"""Modifiers of the number itself; they widen its interval and are not compared."""

PLACES: Final = word_set(
    "europe european germany german france french uk britain british england scotland wales ireland "
    "irish us usa "
    "u.s america american canada canadian mexico brazil spain spanish portugal italy italian "
    "switzerland swiss austria "
    "austrian poland polish nordic nordics scandinavia sweden swedish norway norwegian denmark danish "
    "finland finnish "
    "netherlands dutch belgium belgian asia asian china chinese japan japanese india indian korea australia "
    "australian africa african emea apac dach latam benelux emea mena international domestic abroad export "
    "exports overseas foreign london paris berlin munich vienna zurich madrid singapore turkey greece "
    "czech hungary "
    "romania bulgaria ukraine russia israel dubai north south east west northern southern eastern "
    "western central "
    "urban rural"
)
"""Names of regions in lower case, since speech to text often writes them so."""

OTHERS: Final = (
    r"\b(?:competitors?|competition|rivals?|peers?|peer group|industry|sector|benchmarks?|analysts?|"
    r"gartner|mckinsey|"
    r"forrester|idc|studies|study|survey of|research (?:shows|says)|according to|most companies|"
    r"other companies|"
    r"other firms|typical(?:ly)? (?:companies|firms)|national average|market average|market leader|"
    r"the market (?:is|"
    r"was|grew|grows|has|leader|average)|nationwide|worldwide market|world market|incumbents?|"
    r"everyone else|elsewhere|"
    r"best in class|best-in-class|(?:a|the) (?:typical|comparable|similar|"
    r"average) (?:\w+ ){0,2}?(?:organi[sz]ation|company|firm|provider|operator|business|club|school|"
    r"hospital|bank|city)|"
    r"(?<!we )(?<!i )(?<!company )(?<!group )reports|of our (?:kind|size|type)|neighbou?r\w*|"
    r"their (?:churn|revenue|margin|customers|price|growth)|alternatives?|"
    r"(?:a|one) (?:large |big |major |regional |smaller |new )*(?:competitor|rival|supplier|peer))\b"
)

TARGET_CUES: Final = (
    r"\b(?:will|shall|would|could|should|may|might|targets?|targeted|targeting|goals?|aim|aims|aimed|"
    r"aiming|plan|plans|planned|planning|expect|expects|expected|expecting|forecasts?|forecasted|"
    r"project(?:ed|s|ing)"
    r"(?! (?:cost|budget))|projections?|budgeted|guidance|outlook|ambition|want|wants|hope|hopes|"
    r"hoping|intend|intends|"
    r"commit|commits|promise|promises|guaranteed?|guarantees|potential(?:ly)?|going to|on track (?:to|"
    r"for)|on course|"
    r"heading (?:for|to)|next (?:year|quarter|month)|if|unless|once we|assum\w+|scenario|base case|best case|"
    r"worst case|best case|stress test|downside|upside|sensitivity|hypothetical|"
    r"by (?:the end of )?(?:20\d\d|fy\s?\d\d|twenty[ -](?:twenty|thirty))|limit|cap|ceiling|threshold|must|"
    r"needs? to|need|to (?:reach|hit|grow|get|become|achieve|reduce|cut|double|exceed)|toward|towards|"
    r"estimated|"
    r"anticipate[ds]?|anticipating|long-term|mid-term|medium-term|in the (?:long|medium) (?:run|term)|"
    r"let's|imagine|"
    r"suppose|objective|objectives|vision|roadmap|maximum of|minimum of|set to|due to (?:reach|hit)|"
    r"approved for|"
    r"proposed|propose|proposal|opportunity|envisaged|envisage|ought)\b|['’]ll\b|['’]d\b"
)

PAST_CUES: Final = (
    r"\b(?:used to|for comparison|in comparison|record (?:year|high|low)|previously|formerly|"
    r"in the past|before that|back then|at the time|once|originally|initially|"
    r"was still|earlier|a year ago|years? ago|months? ago|at launch|when we started|when i (?:joined|"
    r"started)|"
    r"no longer|had been|prior|before (?:the|we|this)|not)\b"
)

EXAMPLE_CUES: Final = (
    r"\b(?:for example|for instance|e\.g\.?|such as|say,|imagine|suppose|hypothetical(?:ly)?|what if|"
    r"as an example|"
    r"example:|picture a|think of a|consider a|illustrat\w+)\b"
)

CORRECTION: Final = (
    r"\b(?:sorry|i mean|correction|rather|make that|let me correct|i meant|scratch that|pardon|excuse me|"
    r"i misspoke|no,|actually no|or rather|strike that|wait)\b"
)
