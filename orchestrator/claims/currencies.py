"""The codes of currencies, and how an amount stands beside one."""

from __future__ import annotations

from typing import Final

from orchestrator.claims.word_classes import word_set

CODES: Final = word_set(
    "AED AFN AOA ARS AUD AWG AZN BBD BDT BGN BHD BIF BMD BND BRL BTN BWP BYN BZD CAD CDF CHF CLP CNY "
    "CRC CZK DJF DKK DOP DZD EGP ETB EUR FJD FKP GBP GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS "
    "INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LBP LKR LRD LSL LYD MDL MGA MKD "
    "MMK MNT MRU MUR MVR MWK MXN MYR MZN NAD NGN NOK NPR NZD OMR PGK PHP PKR PLN PYG QAR RMB RON RSD "
    "RUB RWF SAR SBD SCR SEK SGD SYP SZL THB TJS TMT TND TTD TWD TZS UAH UGX USD UYU UZS VED VES VND "
    "VUV WST XAF XCD XCG XOF XPF YER ZAR ZMW ZWG"
)
"""ISO 4217 (list one, 2025): the codes that no deck writes in capitals for anything else."""
CODES_LIKE_WORDS: Final = word_set(
    "ALL AMD ANG BAM BOB BSD COP CUP CVE ERN GEL HRK LAK MAD MOP PAB PEN SDG SHP SLE SOS SRD SSP STN "
    "SVC TOP TRY"
)
"""Its codes that are also words or names ("ALL 12 sites", "TOP 10", "COP 26"): read as money beside a
large figure, as in "PEN 3 million" or "TRY 40,000", and nowhere else. The kuna and the
guilder of the Antilles are gone, and stand in decks still."""

OF_ANY_NUMBER: Final = ("ALL", "TOP")
"""Codes that any large number may follow: "ALL 2,400 staff", "TOP 1,000 customers"."""
