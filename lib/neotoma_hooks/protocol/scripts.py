"""Which characters belong to a word, for the regular expressions of this package.

A class of many ranges takes milliseconds to compile, longer than a hook has for reading a prompt. What an expression
has to know of ASCII therefore stands here as well, for lines that are nothing but ASCII.
"""

from __future__ import annotations

#: Inside a character class: letters of the scripts that have capitals (Latin, Greek, Cyrillic, Armenian, …), their
#: combining marks, and digits. Written out as ranges, because a class of ranges compiles and matches faster than \w,
#: and because \w has no combining marks but all the letters of scripts that do without spaces.
CASED = (
    "0-9A-Za-z\xaa\xb5\xba\xc0-\xd6\xd8-\xf6\xf8-\u02af\u0300-\u058f\u10a0-\u10ff\u1e00-\u1fff\u2c00-\u2dff"
    "\ua640-\ua69f\ua720-\ua7ff\ufb00-\ufb17\uff10-\uff19\uff21-\uff3a\uff41-\uff5a\U00010400-\U000104ff"
)

#: Inside a character class: everything that ends a run of characters without spaces, whatever the language: white space
#: and control characters, quotation marks, the letters and punctuation of scripts without capitals.
BREAKS = (
    '\x00-\x20\x7f-\xa0"`<>|\xab\xbb\u0590-\u109f\u1100-\u1dff\u2000-\u200a\u2018\u201a-\u201f\u2026-\u203a'
    "\u2190-\u2bff\u2e80-\ua63f\uac00-\ufaff\ufb1d-\ufeff\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uffff"
    "\U0001f000-\U0001ffff"
)

#: What `CASED` and `BREAKS` have of ASCII.
ASCII_CASED = "0-9A-Za-z"
ASCII_BREAKS = '\x00-\x20\x7f"`<>|'
