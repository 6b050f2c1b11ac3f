"""STUB until the reader is merged."""
from __future__ import annotations
import re
from dataclasses import dataclass
@dataclass(frozen=True, slots=True)
class Number:
    text: str
    start: int
    end: int
    value: float
    low: float
    high: float
    unit: str | None
    noun: str | None
_N = re.compile(r"(?P<cur>EUR |USD |€|\$|£)?(?<![\w.,])(?P<d>-?\d{1,3}(?:,\d{3})+|-?\d+(?:\.\d+)?)(?P<m>[MKk]|bn)?(?: ?(?P<u>%|x\b|months?|weeks?|years?|days?|hours?|minutes?))?(?![\w])")
_C={"EUR ":"EUR","USD ":"USD","€":"EUR","$":"USD","£":"GBP"}
def numbers_in(text: str) -> tuple[Number, ...]:
    from orchestrator.claims.dates import dates_in
    ds=dates_in(text); out=[]
    for m in _N.finditer(text):
        if any(d.start<=m.start('d')<d.end for d in ds): continue
        s=m['d']; k={"M":1e6,"K":1e3,"k":1e3,"bn":1e9,None:1}[m['m']]
        v=float(s.replace(",",""))*k
        dec=len(s.split(".")[1]) if "." in s else 0
        h=0.5*10**-dec*k if (dec or k>1) else 0
        if not dec and k==1 and s.endswith("000"): h=500
        u=_C.get(m['cur']) if m['cur'] else (m['u'].rstrip('s') if m['u'] else None)
        out.append(Number(m[0],m.start(),m.end(),v,v-h,v+h,u,None))
    return tuple(out)
