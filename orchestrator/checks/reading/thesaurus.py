# ruff: noqa: E501 - a group of synonyms is one line
"""Words that say the same of a figure, and words that say the opposite. Data, no rules.

One line a group: `name | weight | words`. Words are in their plain form (singular, infinitive);
a phrase of several words is written without articles. A word may stand in several groups. The
weight says how much it tells that two texts both use the group: 1 for what is special, less for
what many texts say.
"""

from __future__ import annotations

from typing import Final

from orchestrator.claims.words import word_set

GROUPS: Final = """
rehoming | 1 | rehome; find home; found home; new home; adopt; adoption; rehomed; placed
legacy | 1 | legacy; bequest; will; wills; bequeath; leave to us
wedding | 1 | wedding; marriage; marry; couple; get married; bride
revpar | 1 | revpar; revenue per available room
recurring | 0.9 | mrr; arr; recur; recurring revenue; run rate; monthly recurring revenue; annual recurring revenue; subscription revenue
person | 0.35 | people; person; individual; folk; man; woman; somebody; someone; anybody; citizen; soul; head
buyer | 0.7 | customer; client; account; guest; patron; shopper; buyer; consumer; clientele; logo; diner; purchaser; customer base; policyholder; insured; homeowner; shipper; trade
member | 0.9 | member; membership; card holder; cardholder; hold card; card; belong; join; roll; enrolled
subscriber | 0.9 | subscriber; subscription; sign up; plan holder; paying user; licensee; seat; user; log in
donor | 0.9 | donor; giver; supporter; giving; gift; donate; donation; give; contribute; contribution; benefactor; pledge; entrust
pupil | 0.9 | pupil; student; child; kid; learner; youngster; schoolchild; boy; girl; enrolment; enrollment; enrol; scholar; undergraduate; freshman
young | 0.8 | junior; youth; teenager; child; kid; under eighteen; minor; cadet; youngster; young
baby | 1 | baby; newborn; birth; infant; delivery room; born; neonate
traveller | 0.9 | passenger; traveller; traveler; flyer; rider; commuter; come through; pass through; footfall; fly; ridership; travel; people; on board; carry; boarding; ride
visitor | 0.9 | visitor; guest; attendance; attendee; admission; come through door; audience; spectator; footfall; visit; turnstile; walk in; people; come; gate
patient | 0.9 | patient; case; inpatient; outpatient; treat; sick; discharge; admission; admit; people
resident | 0.9 | resident; inhabitant; citizen; population; people; live here; live; local; townspeople
tenant | 0.9 | tenant; renter; lessee; household; leaseholder; let
household | 0.8 | household; home; family; dwelling; house; apartment; flat; residence; unit; property; residential
family | 0.7 | family; parent; household; mother; father; guardian
elderly | 0.9 | elderly; senior; pensioner; old people; retiree; older; over sixty five
staff | 0.8 | staff; employee; people; headcount; team; workforce; colleague; personnel; work for; payroll; worker; employ; fte; full time equivalent; job; hand; work here; labour force; crew; post; staff member; on our books
hire | 0.9 | hire; recruit; recruitment; join; new starter; joiner; newcomer; appoint; take on; new colleague; intake
nurse | 0.9 | nurse; nursing; ward staff; carer; caregiver; midwife
doctor | 0.9 | doctor; physician; clinician; gp; consultant; medic; surgeon; practitioner; medical staff
teacher | 0.9 | teacher; teaching staff; faculty; tutor; lecturer; instructor; educator
engineer | 0.9 | engineer; developer; programmer; technician; coder; technical staff; software engineer
driver | 0.9 | driver; chauffeur; trucker; behind wheel
volunteer | 0.9 | volunteer; helper; unpaid help; give time; volunteering
scientist | 0.9 | researcher; scientist; postdoc; academic; investigator; phd
player | 0.9 | player; gamer; athlete; sportsman; runner; participant; competitor; entrant; entry; take part
farmer | 0.9 | farmer; grower; producer; farm; holding; supplier
investor | 0.9 | investor; shareholder; backer; stockholder; owner
voter | 0.9 | voter; vote; ballot; turnout; poll; go to poll; elect; electorate
answer | 0.8 | respondent; answer; respond; reply; response; questionnaire; survey; slip; form; feedback; interviewee
applicant | 0.9 | applicant; candidate; apply; application; applicant pool; aspirant
borrow | 0.9 | borrow; loan; lend; check out; issue; lending; circulation; reader; mortgage; credit; advance
debt | 0.9 | owe; arrears; debt; liability; outstanding; owing; borrowing; overdue; indebted; in red; unpaid; behind with; default; loan; credit; receivable
lease | 0.9 | lease; rent; let; rental; hire; tenancy; landlord; rent roll; leasehold
price | 0.8 | price; cost; charge; fee; tariff; fare; rate; tuition; ticket; toll; rent; pay; list price; price tag; levy; duty; due
spend | 0.8 | spend; spending; pay; cheque; check; ticket; basket; bill; leave with; leave; outlay; expenditure; expense; cost; purchase; till; lay out; disburse; go into; put into
cost | 0.8 | cost; expense; spend; spending; outlay; expenditure; overhead; running cost; operating cost; bill; price; run; opex; upkeep; maintain; maintenance; budget; pay; cost base
income | 0.8 | revenue; income; turn over; sale; turnover; take in; earn; bring in; taking; proceeds; receipt; top line; take; earnings; sell; invoice; gross; billing; come in; generate; topline; collect
profit | 0.9 | profit; surplus; earnings; bottom line; margin; black; ebit; ebitda; gain; operating result; net income; left over; earn; result
deficit | 0.9 | loss; deficit; shortfall; red; minus; gap; hole; lose
wage | 0.9 | wage; salary; pay; payroll; remuneration; compensation; earn; pay packet; stipend; staff cost; personnel cost
invest | 0.9 | invest; investment; capex; capital expenditure; capital; put into; plough; spend; capital programme
fund | 0.8 | fund; funding; grant; subsidy; finance; sponsor; raise; raising; money; endow; endowment; support
cash | 0.8 | cash; bank; liquidity; liquid; reserve; in bank; money; balance; kitty; coffer; till; pot
saving | 0.9 | saving; save; economy; cut; efficiency; reduce; cheaper; reduction
tax | 0.9 | tax; vat; duty; levy; rate; council tax
insurance | 0.9 | insurance; insure; policy; premium; cover; coverage; policies; insurer
claim | 0.9 | claim; damage; compensation; loss; pay out; payout; settle; settlement
contract | 0.8 | contract; agreement; deal; deed; signed; order; commission; mandate; engagement; win
order | 0.8 | order; purchase; booking; reservation; book; buy; transaction; sale; commission; bookings
orderbook | 0.9 | order book; backlog; order on hand; orders in hand; in book; pipeline
delivery | 0.8 | delivery; deliver; ship; shipment; parcel; package; consignment; dispatch; despatch; freight; drop; courier; cargo; haul; arrive; post
freight | 0.9 | freight; cargo; goods; tonnage; load; haulage; shipment; haul; tonne
vehicle | 0.9 | vehicle; car; truck; lorry; van; fleet; bus; coach; wagon; tractor; on road
train | 0.9 | train; rail; carriage; tram; railway; locomotive; metro; underground; track
aircraft | 0.9 | aircraft; plane; jet; flight; airliner; movement; take off; landing; departure; fly
ship | 0.9 | ship; vessel; boat; ferry; hull; sailing; crossing; voyage; sail; port call; berth; call
shop | 0.9 | shop; store; outlet; branch; site; location; restaurant; cafe; franchise; counter; showroom; point of sale; salon; door
office | 0.8 | office; site; location; premises; building; headquarters; hub; facility; base
plant | 0.9 | plant; factory; works; mill; site; facility; production line; workshop
warehouse | 0.9 | warehouse; depot; store; storage; distribution centre; hub; shed
room | 0.8 | room; bed; bedroom; night; ward; dormitory; unit; overnight
seat | 0.9 | seat; place; chair; house; auditorium; ticket; capacity; stall; desk
class | 0.9 | class; classroom; form; group; class size; course; lesson; seminar
home_build | 0.8 | build; construct; construction; complete; completion; erect; new build; finish; building; put up; under construction
opening | 0.8 | open; opening; launch; start; inaugurate; go live; begin; commission; commissioning; start up; kick off; premiere
close | 0.8 | close; closure; shut; shut down; end; wind up; discontinue; mothball; decommission
dinein | 0.9 | dine in; eat in; sit down; sit at table; table service; in restaurant; table; cover; diner; eat; dining
takeaway | 0.9 | take away; takeaway; take out; takeout; to go; collect; collection; pick up
online | 0.9 | online; web; internet; digital; e commerce; ecommerce; website; app; electronic; click; web shop; webshop; mobile
telephone | 0.9 | telephone; phone; call; hotline; ring; caller; helpline; switchboard; line
wait | 0.9 | wait; queue; waiting time; seen by; see; in front of; delay; turn; until; take until; be seen; line; hold; waiting
answer_time | 0.9 | response; respond; reply; answer; react; hear back; reaction; first reply; pick up; attend; arrive; get to
settle | 0.8 | settle; settlement; pay out; paid; process; close; resolve; clear; handle; deal with; conclude; keep word; honour; money within; decide
duration | 0.7 | take; last; duration; length; long; time; period; term; run; within; turnaround; finish; need; cycle
repair | 0.9 | repair; fix; mend; maintenance; restore; renovation; refurbish; refurbishment; overhaul; refit; renovate; replace
fault | 0.9 | fault; defect; error; reject; bug; faulty; failure; mistake; flaw; breakdown; wrong; scrap; rework; malfunction; break down; nonconformity; snag
outage | 0.9 | outage; downtime; interruption; down; without power; blackout; in dark; fail; offline; power cut; out; unavailable
accident | 0.9 | accident; injury; incident; casualty; crash; hurt; injure; harm; collision; lost time; mishap
complaint | 0.9 | complaint; complain; grievance; grumble; unhappy; dissatisfied; letter of complaint; objection
satisfaction | 0.9 | satisfaction; satisfied; happy; content; recommend; score; rating; approve; pleased; approval; mark; nps; stars; like; delighted; dissatisfied; unhappy; dissatisfaction
absence | 0.9 | absence; sick; sickness; ill; off work; absent; illness; sick leave; absenteeism; day off
energy | 0.9 | energy; electricity; power; kwh; consumption; gas; heat; heating; fuel; mwh; current
generation | 0.9 | generate; generation; produce; output; production; feed in; capacity; megawatt; harvest; yield; turbine; panel; installed; plant
emission | 0.9 | emission; carbon; co2; greenhouse; footprint; climate; emit; exhaust
water | 0.9 | water; litre; leak; leakage; supply; pipe; drinking water; main
waste | 0.9 | waste; rubbish; refuse; scrap; landfill; bin; garbage; trash; disposal; throw away
recycle | 0.9 | recycle; recycling; reuse; recover; compost; sort; circular
harvest | 0.9 | harvest; yield; crop; grow; bring in; pick; reap; cut; tonnage; bring
land | 0.9 | land; hectare; acre; field; area; farmland; ground; acreage; plot; arable; farm
organic | 0.9 | organic; organically; bio; ecological
livestock | 0.9 | cow; cattle; herd; livestock; sheep; flock; pig; animal; head; dairy
milk | 0.9 | milk; dairy; litre
area | 0.8 | area; space; floor; square metre; surface; floorspace; footprint; sq m; floor space; footage
network | 0.8 | network; route; line; track; lane; path; kilometre; mile; grid; length; long; cycle path; cable; fibre; trench; pipe; road; run
connect | 0.9 | connect; connected; connection; hook up; subscribe; take up; linked; supply; supplied; serve; get power
uptake | 0.9 | take up; uptake; adoption; participation; penetration; adopt; coverage; use; enrol; reach
book | 0.8 | book; title; volume; copy; item; collection; stock; holding
paper | 0.9 | paper; article; publication; publish; journal; print; study
performance_show | 0.9 | performance; show; concert; play; screening; production; run; evening; event
handout | 0.8 | hand out; give out; distribute; serve; deliver; leave; provide; pass out; supply
meal | 0.9 | meal; dish; lunch; dinner; plate; portion; food; feed; serve; cover; kitchen; cook; supper; menu
medicine | 0.9 | drug; medicine; dose; treatment; therapy; prescription; vaccine; jab; shot; vaccination; vaccinate; immunise
operation | 0.9 | operation; surgery; operate; procedure; theatre; surgical; intervention; replacement
trial | 0.9 | trial; study; participant; enrol; enrolment; arm; recruit; subject; volunteer; dosed; enroled
crime | 0.9 | crime; offence; burglary; theft; police; stolen; robbery; break in; offender; arrest
fire | 0.9 | fire; blaze; brigade; call out; callout; alarm; emergency
emergency | 0.9 | emergency; ambulance; 999; crew; casualty; a&e; paramedic; urgent; call out; casualty department
school | 0.8 | school; college; campus; academy; university; kindergarten; nursery
degree | 0.9 | graduate; graduation; diploma; degree; qualify; qualification; finish; pass; certificate; completion; exam; pass rate
licence | 0.9 | licence; license; permit; authorisation; approval; permission; consent; clearance
patent | 0.9 | patent; invention; intellectual property; filing
inventory | 0.9 | inventory; stock; on shelf; on hand; shelf; stockholding; in store; in stock
supplier | 0.9 | supplier; vendor; source; partner; buy from; subcontractor; contractor
partner | 0.8 | partner; distributor; reseller; agent; dealer; franchisee; broker
project | 0.8 | project; programme; scheme; initiative; undertaking; work; job
machine | 0.8 | machine; line; equipment; device; unit; robot; installation; press; apparatus; appliance
product | 0.7 | product; item; article; unit; piece; model; sku; good; range
speed | 0.8 | speed; fast; pace; quick; velocity; per hour
temperature | 0.9 | temperature; degree; warm; cold; heat; cool
age | 0.9 | age; old; year old; aged
weight | 0.9 | weight; weigh; kilo; kilogram; heavy; tonne; mass
admin | 0.9 | administration; admin; overhead; back office; administrative; management cost; office cost; bureaucracy
programme | 0.9 | programme; program; project; cause; mission; beneficiary; front line; field work; charitable activity
marketing | 0.9 | marketing; advertising; promotion; campaign; advertise; ad; publicity; brand
research | 0.9 | research; r&d; development; laboratory; lab; innovation; study
dividend | 0.9 | dividend; distribution; payout; per share; shareholder; distribute
market | 0.7 | market; industry; segment; demand; sector
share | 0.4 | share; part; proportion; portion; fraction; slice; percentage; percent
export | 0.9 | export; abroad; foreign; overseas; international; outside country
women | 0.9 | woman; female; girl; lady
men | 0.9 | man; male; boy; gentleman
vacancy | 0.9 | vacancy; vacant; open position; unfilled; short; open post; empty; void; job opening; missing; shortage; lack; open role; understaffed
notice | 0.8 | notice; warning; reminder; letter; dun; formal notice
download | 0.9 | download; install; installation; app
page | 0.8 | page view; visit; visitor; click; session; traffic; hit; unique
content | 0.8 | film; video; episode; song; stream; programme; title; track; listen; watch; view; viewer; viewership; listener; audience
event | 0.8 | event; conference; meeting; session; workshop; gathering; festival; fair
parking | 0.9 | parking; park; car park; space; bay
tree | 0.9 | tree; plant; sapling; forest; wood; woodland; seedling
house_sale | 0.8 | completion; home sale; property; sell; sold; plot
benefit | 0.9 | benefit; allowance; welfare; pension; payment; entitlement
grant_award | 0.8 | award; grant; scholarship; bursary; prize
bed | 0.9 | bed; bedspace; berth; cot; ward
night | 0.7 | night; overnight; stay; guest night
visit_care | 0.9 | visit; appointment; consultation; contact; home visit; round; check; session; encounter; see
inspection | 0.9 | inspection; audit; check; control; inspect; examine; test; review; visit
reader | 0.9 | reader; circulation; subscriber; readership; copy; print run; edition
dish_price | 0.6 | average cheque; average check; average spend; cover charge; spend per head; per head; per guest
journey | 0.9 | journey; trip; ride; boarding; passenger; travel; voyage; tour
charge_point | 0.9 | charging point; charger; charge point; charging station; socket; plug
meter | 0.9 | meter; smart meter; metering
turbine | 0.9 | turbine; wind park; wind farm; windmill; wind
roof | 1 | roof; roofing; slate; tile
bridge | 1 | bridge; crossing; viaduct; span
"""

POLAR: Final = """
stay | stay; remain; renew; renewal; retain; retention; loyal; come again; keep subscription; return to us; keep faith; still with us; keep paying | leave; lose; walk away; churn; attrition; cancel; cancellation; quit; drop out; go elsewhere; switch; defect; depart; lapse; stop paying; not renew; turn away; resign; turnover; move on; turn back; terminate; give up; departure; leaver
ontime | on time; punctual; punctuality; on schedule; promised day; by deadline; timely; prompt; agreed day; as promised; on dot; within deadline; promised date | late; delayed; delay; behind schedule; miss deadline; overdue; miss promised day; miss slot; too late; lateness; behind time; not on time
fill | occupied; fill; filled; take; full; occupancy; let; in use; use; utilisation; utilization; book; sell; busy; rented; used; load factor; staffed; lent out | empty; vacant; vacancy; free; unoccupied; unlet; unsold; idle; spare; void; unused; available; untaken; unfilled; stand still
pass | pass; succeed; success; graduate; graduation; complete; diploma; finish; completion; qualify | fail; failure; drop out; dropout; without diploma; not pass; abandon; without degree; fall through; unsuccessful; give up
happy | satisfied; happy; content; pleased; satisfaction; delighted; not dissatisfied | dissatisfied; unhappy; dissatisfaction; not satisfied; discontent; unsatisfied; not happy; disappointed; displeased
good | correct; accurate; error free; first time right; in spec; flawless; without defect; without fault; without error; perfect; yield; right; conform; accuracy; without rework; without complaint | wrong; defect; error; faulty; reject; scrap; rework; defective; inaccurate; flaw; fault; nonconforming
present | attend; turn up; show up; present; attendance; keep appointment; appear | absent; absence; no show; miss appointment; sick; stay away; not attend; not turn up; fail to show
favour | favour; approve; support; agree; yes; for; back; in favour; approval | against; oppose; disagree; reject; no; object; turn down
keepgoods | keep | return; send back; come back; give back; sent back; returned
settle | pay; paid; settle; cleared; on time | unpaid; outstanding; overdue; unsettled; in arrears
recycle | recycle; reuse; recycling; recovered; compost | landfill; burn; incinerate; thrown away; residual
live | survive; survival; alive; live | die; death; mortality; dead; fatal
win | win; won; successful | lose; lost; unsuccessful
reach | reach meter; reach; arrive; get through; billed | loss; lose; leak; leakage; lost; lose on way; disappear
readmit | without readmission; no readmission; not come back; not readmit; stay home; not return | readmit; readmission; come back; return
answered | answer; answered; get through; connect; respond; pick up | unanswered; abandon; hang up; ring out; give up; miss; missed
up | up; uptime; available; availability; running; in operation; operational | down; downtime; unavailable; out of service; standstill; offline; out of order
online | online; digital; web; internet; electronic | offline; counter; in person; paper; by post; branch; over counter
own | own; owner occupied; freehold; in house; own staff | rent; lease; leased; rented; agency; outsource; subcontract
bio | organic; organically; bio; ecologically | conventional; conventionally; non organic
renewable | renewable; green; clean; solar; wind; low carbon | fossil; coal; gas; grey
male | man; male; boy | woman; female; girl
fulltime | full time | part time
permanent | permanent | temporary; fixed term; agency; temp; contract
programmes | programme; program; project; charitable work; cause; front line | administration; admin; overhead; administrative
domestic | domestic; home market; at home; domestically | export; abroad; foreign; overseas; international
"""
"""What is left to a hundred percent: `name | these | those`."""

IRREGULAR: Final = {
    "paid": "pay", "left": "leave", "lost": "lose", "sold": "sell", "bought": "buy", "spent": "spend", "sat": "sit",
    "kept": "keep", "took": "take", "taken": "take", "came": "come", "gave": "give", "given": "give", "went": "go",
    "gone": "go", "held": "hold", "saw": "see", "seen": "see", "brought": "bring", "built": "build", "got": "get",
    "made": "make", "ran": "run", "rode": "ride", "ridden": "ride", "flew": "fly", "flown": "fly", "lent": "lend",
    "sent": "send", "met": "meet", "won": "win", "wore": "wear", "ate": "eat", "eaten": "eat", "grew": "grow",
    "grown": "grow", "drove": "drive", "driven": "drive", "fell": "fall", "rose": "rise", "slept": "sleep",
    "taught": "teach", "told": "tell", "wrote": "write", "written": "write", "people": "people", "children": "child",
    "men": "man", "women": "woman", "feet": "foot", "lives": "live", "lorries": "lorry", "stood": "stand", "drew": "draw",
    "hung": "hang", "dealt": "deal", "put": "put", "heard": "hear", "fed": "feed", "stole": "steal", "stolen": "steal",
    "broke": "break", "broken": "break", "owing": "owe", "dying": "die", "died": "die", "mice": "mouse", "chose": "choose",
    "spoke": "speak", "shipping": "ship", "leaving": "leave", "thrown": "throw", "threw": "throw", "borne": "bear",
    "monies": "money", "owed": "owe", "owes": "owe", "used": "use", "uses": "use", "aged": "age", "ages": "age", "tied": "tie",
    "dies": "die", "being": "be", "seating": "seat", "aging": "age", "evening": "evening", "morning": "morning", "king": "king", "bus": "bus", "gas": "gas", "leavers": "leaver", "premises": "premises", "works": "work",
}  # fmt: skip
"""Forms that no ending gives away, and those that look like an ending."""

EMPTY: Final = word_set(
    "spring summer autumn winter point "
    "about across actually additional after again against all almost along already also altogether always "
    "amount annual any anything appendix approx apr april are around aug august average avg away back "
    "basically be became because become been before begin beginning being between big billion bit both "
    "bottom business can cent chair chart chf clear clearly come comment company compare compared could "
    "count counted counts couple current currently daily date day dec december detail did do does dollar "
    "down dozen during each early eight eighteen eighty eleven end eur euro even ever every everybody "
    "everything exactly excl extra fact far feb february few fewer fifteen fifty figure firm first five "
    "forty four fourteen franc friday from further fy gbp get glance go good great group h1 h2 had half "
    "handful happen happened has have he headquarters her here high his hour however hundred i if incl "
    "into is it its jan january jul july jun june just key kind know large last least less let's level "
    "little look lot low madam main make many mar march may me mean meanwhile median might million minute "
    "monday month monthly more most mr mrs ms much must my nearly never new next nine nineteen ninety no "
    "nobody normally not note nothing nov november now nr number numbers oct october off often ok okay "
    "once one only onto organisation other our ours out over overall overview own page pence per percent "
    "percentage period please pound precisely present presentation proud put q1 q2 q3 q4 quarter quarterly "
    "rate reach really recent recently remain remark result right roughly same saturday say second see sep "
    "sept september seven seventeen seventy several shall she should since single situation six sixteen "
    "sixty slide small so some something sort source stand start still such sum sunday taken tell ten "
    "thank that their them then there therefore these they thing think third thirteen thirty this those "
    "thousand three through thursday time today together tonight too top total tuesday twelve twenty two "
    "typical typically under unless until up update upon us usd usually value very want was way we "
    "wednesday week weekly well were what when where which while who whole whom whose will with within "
    "without would year yearly yes you your ytd"
)
"""Words that never tell on their own what a figure is about; in a phrase of a group they may."""

KEEP_E: Final = word_set(
    "site care rate plane fine note code tone cube bare mate fare pine wine tube here rode"
)
"""Words that another word would be without their last letter."""
