"""STUB until the reader is merged."""
from __future__ import annotations
import re, calendar
from dataclasses import dataclass
from datetime import date
@dataclass(frozen=True, slots=True)
class Date:
    text: str
    start: int
    end: int
    first: date
    last: date
    has_year: bool
    precision: str
    weekday: int | None
M="January February March April May June July August September October November December".split()
D="Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
_D=re.compile(rf"(?:(?P<w>{'|'.join(D)}),? )?(?:(?P<d>\d{{1,2}}) )?(?P<m>{'|'.join(M)})(?: (?P<y>\d{{4}}))?|\b(?P<yy>20\d\d)\b")
def dates_in(text: str) -> tuple[Date, ...]:
    out=[]
    for m in _D.finditer(text):
        if m['yy']:
            y=int(m['yy']); out.append(Date(m[0],m.start(),m.end(),date(y,1,1),date(y,12,31),True,"year",None)); continue
        y=int(m['y'] or 1); mo=M.index(m['m'])+1
        f=date(y,mo,int(m['d'] or 1)); l=f if m['d'] else date(y,mo,calendar.monthrange(y,mo)[1])
        out.append(Date(m[0],m.start(),m.end(),f,l,bool(m['y']),"day" if m['d'] else "month",D.index(m['w']) if m['w'] else None))
    return tuple(out)
