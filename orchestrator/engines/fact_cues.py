"""Words by which an English sentence states a fact of a kind; and words that take it back.

They are narrow on purpose: a sentence that only might be a decision is none.
"""

from __future__ import annotations

import re
from typing import Final

_I: Final = re.IGNORECASE
_WE: Final = r"(?:we|i)(?: have|['’]ve)?(?: all| both| now| already| also| since| just| finally| jointly)*"
_BODY: Final = (
    r"(?:the|our) (?:\w+ ){0,2}(?:board|committee|council|management|team|shareholders|members|directors|"
    r"auditors?|regulator|authority|bank)(?: has| have)?(?: also| now| already| unanimously)*"
)

DECISION = re.compile(
    rf"\b(?:{_WE} (?:decided|resolved|agreed) (?:to|that|on|against|not to|upon)\b|"
    rf"{_WE} (?:chose|chosen|opted|settled on|selected|ruled out|approved|voted|signed off)\b|"
    rf"{_BODY} (?:decided|resolved|agreed|approved|voted|chose|selected|rejected|signed off)\b|"
    r"(?:it (?:was|has been|is)|this (?:was|has been)) (?:decided|agreed|resolved|approved)\b|"
    r"(?:the|our) decision (?:is|was|has been) (?:to|that|not to|made)\b)",
    _I,
)
NO_DECISION = re.compile(
    r"\b(?:not|never|n['’]t|yet to|nobody|no one) (?:\w+ ){0,2}(?:decid|agree|resolv|approv|chos|select|vot)"
    r"\w*|"
    r"\b(?:if|unless|until|before|once|when|whether|should|would|could|might|may) (?:\w+ ){0,4}(?:decid|"
    r"agree|resolv|approv|choos|chose|select|vot)\w*|\bhow (?:\w+ )?(?:we|i) (?:decid|chose)",
    _I,
)

_DONE: Final = (
    r"(?:completed|finished|delivered|launched|signed|closed|shipped|hired|appointed|published|migrated|"
    r"rolled out|opened|submitted|filed|fixed|installed|deployed|repaid|paid off|trained|tested|resolved|"
    r"replaced|renewed|released|built|set up|introduced|audited|certified|moved|recruited|secured|"
    r"commissioned|acquired|sold)"
)
COMPLETED = re.compile(
    rf"\b(?:{_WE} {_DONE}\b|"
    rf"(?:has|have) (?:now |already |just |since |all )*been (?:successfully |fully )?{_DONE}\b|"
    r"(?:is|are) (?:now |already |all )+(?:complete|completed|done|finished|live|in place|signed|closed|"
    r"in service|operational)\b|(?:is|are) (?:complete|finished|up and running)\b|"
    rf"(?:was|were) {_DONE} (?:in|on|last|at the end of|by the end of)\b)",
    _I,
)
NOT_COMPLETED = re.compile(
    r"\b(?:not|never|n['’]t|nearly|almost|partly|half|about to|yet to|will have|should have|would have|"
    r"could have|if|unless|once|when|until|as soon as|before|after|plan(?:s|ned)? to|"
    r"to be)\b",
    _I,
)

PREFERENCE = re.compile(
    r"\b(?:i|we)(?:['’]d| would)? (?:much |strongly |clearly |really )?(?:prefer|rather (?!not\b)\w+)|"
    r"\b(?:my|our) (?:clear |strong )?preference (?:is|would be)\b|"
    r"\b(?:i|we)(?:['’]d| would) (?:like|want) (?:you|the panel|this panel|questions|everybody|to (?:keep|"
    r"take|start|begin|end|go|have|see|leave))\b|\b(?:i|we) want (?:you|the panel|this panel|questions)\b|"
    r"\bplease (?:keep|stop|do not|don['’]t)\b|"
    r"\b(?:i|we) (?:do not|don['’]t) want (?:you|the panel|questions|to)\b",
    _I,
)

UNDERTAKES = re.compile(
    r"\b(?:i|we|our [\w-]+(?: [\w-]+)?)(?:['’]ll| will| shall| commit| guarantee| promise|['’]re going to|"
    r" are going to)\b",
    _I,
)
THIS_TALK = re.compile(
    r"(?:['’]ll| will) (?:now |then |also |first |just )*(?:start|begin|turn|open (?:the|up)|walk|go (?:over|"
    r"through|into|back|to)|hand|talk|discuss|cover|take (?:you|a|your)|give you|show you|provide (?:some|"
    r"more|an?)|speak|explain|review|pass|move (?:on|to)|come (?:on )?to|see|look|continue|touch|say|tell)\b",
    _I,
)
"""What is undertaken for the next minutes, and over with them."""

OPEN = re.compile(
    r"\b(?:is|are|remains?|stays?) (?:still )?(?:an )?(?:open (?:question|point|issue|item)|undecided|"
    r"unresolved|to be (?:decided|confirmed|agreed|determined))\b|\b(?:is|are|remains?) still open\b|"
    r"\bremains? open\b|\bto be confirmed\b|\b(?:we|i) (?:have not|haven['’]t|did not|didn['’]t|"
    r"do not|don['’]t|still have to|have yet to|still need to) (?:yet )?(?:decided?|agreed?|know|resolved?|"
    r"chosen?|settled?|worked? out)\b|\b(?:i|we)(?:['’]d| would| will|['’]ll)? (?:have|need|like) to (?:come|"
    r"get) back to (?:you|the panel|the board)\b|\b(?:i|we)(?:['’]ll| will) (?:come|get) back to (?:you|"
    r"the panel|the board)\b|\bno decision (?:has been|was) (?:made|taken)\b",
    _I,
)

HEDGED = re.compile(
    r"\b(?:i think|i believe|i guess|i suppose|we think|we believe|maybe|perhaps|probably|possibly|"
    r"presumably|hopefully|more or less|or so|roughly|about|around|approximately|nearly|almost|some)\b",
    _I,
)
UNREAL = re.compile(
    r"\b(?:if|unless|suppose|imagine|let['’]s say|for example|for instance|might|could|would)\b", _I
)
"""A sentence that says what is not, or not yet, the case."""

_NAME: Final = r"[A-Z][a-zà-ÿ’'-]+(?: (?:[a-z]{2,3} )?[A-Z][a-zà-ÿ’'-]+){0,2}"
_ROLE: Final = (
    r"(?:(?:new |interim |acting |deputy |chief |head |senior |lead |managing |general |our )*"
    r"(?:C[EFOTIM]O|chief(?: [\w-]+){0,3}(?: officer)?|chair(?:man|woman|person)?|treasurer|controller|"
    r"head of [\w&-]+(?: [\w&-]+)?|director(?: of [\w&-]+(?: [\w&-]+)?)?|president|founder|auditor|"
    r"(?:[\w-]+ ){0,2}(?:engineer|manager|lead|officer|lawyer|counsel|partner|secretary|analyst|sponsor|"
    r"coordinator|architect|scientist|harbou?r ?master)))"
)
PERSON = re.compile(
    rf"\b(?P<name>{_NAME}),? (?:who is |is )?(?:our|the|my) (?P<role>{_ROLE})\b|"
    rf"\b(?i:our|my|the) (?P<role2>{_ROLE}),? (?P<name2>{_NAME})\b"
)
NO_NAME = re.compile(
    r"^(?:The|This|That|It|There|We|They|He|She|Who|What|Our|My|And|But|So|Then|Each|Every|Everybody|Nobody|"
    r"Somebody|Yes|No|Well|Because|If|When|Now|Today|In|On|At|By|For|From|With|All|Both|As|Ask|Here|Is|"
    r"January|February|March|April|May|June|July|August|September|October|November|December|Monday|Tuesday|"
    r"Wednesday|Thursday|Friday|Saturday|Sunday|Thank|Thanks|Good|Great|Okay|Sure|Also|Meet|Finally)\b"
)

OPENING = re.compile(
    r"^(?:(?:so|and|but|well|now|okay|ok|right|also|then|yes|no|look|indeed|again|basically|um+|uh+|er+|"
    r"first|second|finally|in fact|as i said|as you know|you know|i mean|to be clear)[,:]? )+",
    _I,
)
"""How people begin to speak; what follows says the same without it."""

CUT_OFF = re.compile(
    r"\b(?:the|a|an|of|to|and|or|for|in|on|at|by|with|from|that|which|our|their|is|are|was|were|because|but|"
    r"than|as|until|so|about|into|we|i)$",
    _I,
)
"""Words that end no sentence: the recording goes on in the next piece."""
