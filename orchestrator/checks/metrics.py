"""The metrics that boards speak of: names, the units that fit them, and their synonyms. Data, no rules.

One line a metric: `name | units | phrases`. Units: m money, p percent, x multiple, t time,
c count, s score, g growth only. Phrases are lower case and singular, separated by ";"; the
text is matched in singular too, hyphens count as spaces, and the longest phrase wins. A line
that begins with spaces goes on with the one above it.
"""

from __future__ import annotations

from typing import Final

from orchestrator.claims.words import word_set

METRICS: Final = """
revenue | m | revenue; turnover; sale; net sale; sales revenue; top line; topline; total revenue; net
    revenue; annual revenue; income from sale; sales figure; annual sale
arr | m | arr; annual recurring revenue; annually recurring revenue; annualised recurring revenue;
    annualized recurring revenue; yearly recurring revenue
mrr | m | mrr; monthly recurring revenue
recurring revenue | m | recurring revenue; subscription revenue
gross profit | m | gross profit
operating profit | m | operating profit; operating income; operating result; ebit; profit from operation
operating loss | m | operating loss
ebitda | m | ebitda
net profit | m | net profit; net income; net earning; bottom line; profit after tax; net result; annual
    profit; surplus
net loss | m | net loss
profit | m | profit
loss | m | loss
deficit | m | deficit
gross margin | p | gross margin; gross profit margin
ebitda margin | p | ebitda margin
operating margin | p | operating margin; ebit margin; operating profit margin; return on sale
net margin | p | net margin; net profit margin; profit margin
contribution margin | mp | contribution margin
margin | p | margin
cash | m | cash; cash balance; cash position; cash at bank; cash in bank; cash in the bank; cash on
    hand; cash reserve; liquidity; liquid fund; bank balance; reserve
cash flow | m | cash flow; cashflow
free cash flow | m | free cash flow; fcf
operating cash flow | m | operating cash flow; cash flow from operation
burn | m | burn; burn rate; cash burn; net burn; monthly burn
runway | t | runway; cash runway
debt | m | debt; borrowing; bank debt; total debt
net debt | m | net debt
loan | m | bank loan; credit line; credit facility; overdraft
equity ratio | p | equity ratio
equity | m | equity
leverage | x | leverage; leverage ratio; net leverage
valuation | m | valuation; pre money; post money; enterprise value
dividend | m | dividend
eps | m | earning per share; eps
market capitalisation | m | market cap; market capitalisation; market capitalization
order intake | m | order intake; incoming order; booking; new order value; order inflow
order book | m | order book; order backlog; backlog
pipeline | m | pipeline; sales pipeline; weighted pipeline; qualified pipeline
contract value | m | contract value; contract size; average contract value; acv; deal size; average
    deal; average deal size
total contract value | m | tcv; total contract value
basket | m | average order value; order value; basket; basket size; average basket; average ticket;
    ticket size
arpu | m | arpu; arpa; revenue per user; revenue per customer; average revenue per user; average revenue
    per account; average revenue per customer; spend per customer
gmv | m | gmv; gross merchandise value; gross merchandise volume; transaction volume; payment volume;
    processed volume
aum | m | asset under management; aum; managed asset
deposit | m | deposit
premium | m | written premium; gross written premium; premium income
cost | m | cost; total cost; spending; expense; expenditure; outlay
opex | m | opex; operating expense; operating cost; operating expenditure; running cost; overhead
capex | m | capex; capital expenditure; capital spending; investment
cogs | m | cogs; cost of goods sold; cost of sale; cost of revenue
payroll | m | payroll; personnel cost; staff cost; salary cost; wage bill; payroll cost; personnel
    expense; labour cost; labor cost
r&d spend | mp | r&d; r&d spend; r&d spending; research and development; r&d budget; r&d expense; r&d
    cost
marketing spend | m | marketing spend; marketing budget; marketing cost; marketing expense; ad spend;
    advertising spend; advertising budget; marketing spending
energy cost | m | energy cost; energy bill; electricity cost; electricity bill; power bill; fuel cost;
    fuel bill
rent | m | rent; lease cost; rental cost
unit cost | m | unit cost; cost per unit; cost per order; cost per ticket; cost per parcel; cost per
    delivery; cost per case; production cost
price | m | price; list price; selling price; subscription price; subscription fee; monthly fee; licence
    fee; license fee; fee; ticket price; tariff
cac | m | cac; customer acquisition cost; acquisition cost; cost of acquiring a customer; cost to
    acquire a customer; cost per acquisition; cost of acquisition; cost per new customer
ltv | m | ltv; lifetime value; customer lifetime value; clv
ltv to cac | x | ltv to cac; ltv/cac; ltv:cac; ltv cac; ltv cac ratio; ltv to cac ratio
payback | t | payback; payback period; cac payback; payback time; amortisation; amortization period;
    amortisation period; cac payback period
ask | m | ask; funding request; funding need; capital request; requested amount; request to the board;
    request; funding round; funding ask; capital requirement; investment request
budget | m | budget; project budget; total budget; programme budget; program budget; annual budget;
    approved budget
grant funding | m | grant; grant funding; subsidy; subsidies; public funding
donation | m | donation; fundraising income; money raised
savings | m | saving; cost saving; annual saving; yearly saving; synergy; cost synergy; efficiency gain
fine | m | fine; penalty; penalties
claims cost | m | claims cost; cost of claim; warranty cost; warranty claim; spoilage claim; damages
inventory | m | inventory; inventories; stock value; stock on hand
receivables | m | receivable; account receivable; outstanding invoice; open invoice; unpaid invoice
payables | m | payable; account payable
working capital | m | working capital; net working capital
impairment | m | impairment; write off; write down; writeoff; write-down
tax rate | p | tax rate; effective tax rate
interest rate | p | interest rate; coupon; interest
inflation | p | inflation; inflation rate
roi | px | roi; return on investment; return on the investment
irr | p | irr; internal rate of return
roce | p | roce; return on capital; return on capital employed; roic
roe | p | roe; return on equity
npv | m | npv; net present value
tam | m | tam; total addressable market; addressable market; market size; market volume; market
    potential; sam; serviceable market
market share | p | market share; share of the market; share of market; share in the market
customers | c | customer; client; clientele; customer base; customer count; number of customer; client
    base; total customer
paying customers | c | paying customer; paid customer; paying client; paying account; paid account;
    paying company
subscribers | c | subscriber; subscription; subscriber base; active subscription
users | c | user; user base; registered user; number of user
active users | c | active user
daily active users | c | daily active user; dau
monthly active users | c | monthly active user; mau; monthly user
weekly active users | c | weekly active user; wau
members | c | member; membership; active member
patients | c | patient
students | c | student; pupil; learner
headcount | c | headcount; head count; employee; staff; staff member; people; fte; full time employee;
    full time equivalent; workforce; colleague; team size; personnel; team member; number of employee;
    payroll headcount; worker; person
engineers | c | engineer; developer; software engineer; engineering headcount
drivers | c | driver
nurses | c | nurse
volunteers | c | volunteer
contractors | c | contractor; freelancer; agency worker; temp
vacancies | c | vacancy; vacancies; open position; open role; unfilled position; unfilled role; unfilled
    post; open post; job opening
pilots | c | pilot; pilot customer; pilot project; pilot installation; pilot site; trial customer; proof
    of concept
partners | c | partner; reseller; distributor; channel partner; distribution partner
suppliers | c | supplier; vendor
sites | c | site; location; facility
stores | c | store; shop; outlet; branch
offices | c | office
plants | c | plant; factory
warehouses | c | warehouse; distribution centre; distribution center
depots | c | depot
hubs | c | hub
hospitals | c | hospital
clinics | c | clinic
schools | c | school
countries | c | country
markets | c | market
cities | c | city
vehicles | c | vehicle; fleet; fleet size; company vehicle
trucks | c | truck; lorry; lorries; truck in the fleet
vans | c | van; delivery van
cars | c | car; company car
buses | c | bus; coach
machines | c | machine
beds | c | bed
devices | c | device; connected device; sensor; installed device; unit in the field; installed base
downloads | c | download; install; app download
contracts | c | contract; signed contract; agreement
deals | c | deal
orders | c | order
projects | c | project
products | c | product; product line
patents | c | patent; granted patent
leads | c | lead; qualified lead
tickets | c | ticket; support ticket; support request; support case
incidents | c | incident; outage; security incident; service outage
accidents | c | accident; lost time accident; lost time injury; workplace accident; injury; reportable
    accident
complaints | c | complaint; customer complaint
defects | c | defect; bug; open bug
investors | c | investor
shareholders | c | shareholder
visitors | c | visitor; monthly visitor; website visitor
followers | c | follower
nps | s | nps; net promoter score; promoter score
dissatisfaction | p | dissatisfaction; dissatisfied; unsatisfied
no readmission | p | without readmission; no readmission
csat | ps | csat; customer satisfaction; satisfaction; satisfaction score; satisfaction rate; customer
    satisfaction score; satisfied; satisfied customer
enps | s | enps; employee net promoter score
employee satisfaction | ps | employee satisfaction; staff satisfaction; satisfied employee; satisfied
    staff; satisfied colleague; employee engagement; engagement score
rating | s | rating; app store rating; star rating; review score
churn | p | churn; churn rate; customer churn; customer churn rate; logo churn; customer attrition;
    customer loss rate; annual churn; cancellation rate; attrition; attrition rate
revenue churn | p | revenue churn; net revenue churn; gross revenue churn
customer retention | p | customer retention; retention; retention rate; customer retention rate; logo
    retention; renewal rate; renewal
net revenue retention | p | net revenue retention; nrr; net retention; net dollar retention; ndr; net
    retention rate
gross revenue retention | p | gross revenue retention; grr; gross retention; gross dollar retention
employee turnover | p | employee turnover; staff turnover; employee attrition; staff attrition; turnover
    rate; fluctuation
employee retention | p | employee retention; staff retention
absenteeism | p | absenteeism; sick leave; sickness rate; absence rate; sickness absence
vacancy rate | p | vacancy rate
conversion | p | conversion; conversion rate; trial conversion; trial to paid conversion; close rate;
    closing rate
win rate | p | win rate; hit rate; success rate in bid; tender success rate
loss rate | p | loss rate
open rate | p | open rate
click rate | p | click rate; click through rate; ctr
bounce rate | p | bounce rate
adoption | p | adoption; adoption rate; usage rate; penetration
utilisation | p | utilisation; utilization; capacity utilisation; capacity utilization; occupancy;
    occupancy rate; load factor; bed occupancy; capacity use; utilisation rate; utilization rate
oee | p | oee; overall equipment effectiveness
uptime | p | uptime; availability; system availability; service availability; platform availability;
    platform uptime
downtime rate | p | downtime; unavailability
downtime | t | downtime; outage time; unplanned downtime
on-time delivery | p | on time delivery; on time delivery rate; on time rate; delivery reliability;
    punctuality; otif; delivered on time; delivery on time; on time in full; schedule adherence; on time
    performance; on time arrival
late deliveries | p | late delivery; late deliveries; delayed delivery; delayed shipment; late shipment;
    late rate; delay rate
defect rate | p | defect rate; failure rate; error rate; reject rate; scrap rate; scrap; rejection rate;
    fault rate; defective rate; rework rate
yield | p | yield; first pass yield; pass rate; first pass rate
return rate | p | return rate; returns rate; rate of return of goods; product return
accuracy | p | accuracy; forecast accuracy; detection rate; recall rate; precision rate
completion | p | completion; completion rate
coverage | p | coverage; test coverage; coverage rate
compliance rate | p | compliance rate; compliance
automation rate | p | automation rate; automation; degree of automation
default rate | p | default rate; npl ratio; non performing loan ratio; default; delinquency rate
loss ratio | p | loss ratio; combined ratio; claims ratio
recycling rate | p | recycling rate; recycled content; recycled share
renewable share | p | renewable share; renewable energy; share of renewable; green electricity; green
    power
fill rate | p | fill rate
participation | p | participation; participation rate; turnout; response rate
readmission rate | p | readmission rate; readmission
graduation rate | p | graduation rate; dropout rate
women share | p | share of woman; share of women; women in leadership; female share; proportion of
    women; gender ratio
ownership | p | stake; shareholding; ownership; holding
discount | p | discount; average discount; rebate
cost to income | p | cost to income ratio; cost income ratio
recurring share | p | recurring share; share of recurring revenue
sales cycle | t | sales cycle; sale cycle; time to close; sales process; selling cycle
lead time | t | lead time; delivery time; delivery lead time; time to delivery; shipping time
cycle time | t | cycle time; processing time; turnaround; turnaround time; throughput time; handling
    time; process time
time to market | t | time to market; development time
onboarding time | t | onboarding; onboarding time; time to onboard; time to value; customer onboarding;
    implementation; implementation time; implementation period; rollout time; set up time; setup time;
    go live time
response time | t | response time; first response; first response time; reaction time; reply time; first
    reply
waiting time | t | waiting time; wait time; average wait; waiting list; average waiting time; queue time
resolution time | t | resolution time; time to resolution; time to resolve; mttr; repair time; time to
    repair; restoration time; recovery time
time to hire | t | time to hire; hiring time; time to fill
construction time | t | construction; construction time; build time; construction period; project
    duration; project duration; project length
contract length | t | contract length; contract term; contract duration; term of contract; average
    contract length; minimum term; notice period; contract period
dso | t | dso; day sale outstanding; days sales outstanding; payment term; collection period
stock cover | t | stock cover; day of inventory; inventory day; inventory cover; days of stock
length of stay | t | length of stay; average stay
tenure | t | tenure; average tenure; length of service
latency | t | latency; load time; page load; page load time
battery life | t | battery life; service life; lifetime; lifespan; useful life
warranty | t | warranty; warranty period; guarantee period
training time | t | training; training time; training period; ramp up; ramp up time
energy consumption | u | energy consumption; electricity consumption; power consumption; energy use;
    electricity use
emissions | u | emission; co2 emission; carbon emission; carbon footprint; ghg emission; co2; co2e
water use | u | water use; water consumption
production | cu | production; output; production volume; annual output
capacity | cu | capacity; annual capacity; production capacity
volume | cu | volume; throughput; shipment volume
floor space | u | floor space; floor area; storage space; retail space; office space; warehouse space
"""

COMPLEMENTS: Final = {
    "customer retention": "churn",
    "employee retention": "employee turnover",
    "late deliveries": "on-time delivery",
    "downtime rate": "uptime",
    "loss rate": "win rate",
    "yield": "defect rate",
    "dissatisfaction": "csat",
    "no readmission": "readmission rate",
}
"""What is left to a hundred percent of the other."""

SIGNED: Final = {"net loss": "net profit", "operating loss": "operating profit"}
"""The same metric with its sign turned."""

OF_PEOPLE: Final = frozenset(
    {
        "csat",
        "dissatisfaction",
        "churn",
        "customer retention",
        "nps",
        "readmission rate",
        "no readmission",
        "arpu",
    }
)
"""Figures of the people that an organisation serves, by whatever name it calls them."""

FLOWS: Final = frozenset(
    name.replace("_", " ")
    for name in word_set(
        "revenue recurring_revenue gross_profit operating_profit operating_loss ebitda net_profit "
        "net_loss profit loss deficit cash_flow free_cash_flow operating_cash_flow dividend eps "
        "order_intake gmv premium cost opex capex cogs payroll r&d_spend marketing_spend energy_cost rent "
        "donation savings claims_cost impairment downloads orders deals tickets incidents accidents "
        "complaints visitors production volume energy_consumption emissions water_use grant_funding fine "
        "leads"
    )
)
"""What adds up over time, so that a quarter's figure and a year's differ by nature."""

AVERAGED: Final = frozenset(
    {
        "basket",
        "arpu",
        "cac",
        "rent",
        "contract value",
        "price",
        "unit cost",
        "ltv",
        "discount",
        "utilisation",
        "nps",
        "csat",
        "rating",
        "churn",
        "customer retention",
    }
)
"""Figures that are averages whether or not the word is said; so are all stretches of time."""

BY_MONTH: Final = frozenset({"burn", "mrr", "monthly active users", "rent"})
"""Where no base is said, the month is meant."""
