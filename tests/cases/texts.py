"""Texts of the catalogue of faults, with the tokens and the fingerprint that each must have.

Values are those of the precise mode, term counts as weights, punctuation kept and no calibration. The job also folds
width and case, so where that changes the tokens the value is the one of the folded text. What the defaults drop beside
that (punctuation, emoji) stands in `WITHOUT_PUNCTUATION`.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Text:
    """A text with its right tokens and the right 64 bits."""

    number: str
    text: str
    tokens: tuple[str, ...]
    bits: int


def _text(number: str, text: str, tokens: str, bits: int) -> Text:
    return Text(number, text, tuple(tokens.split()), bits)


WITH_PUNCTUATION = (
    _text("C03", "我在学做豆腐", "我 在 学 做 豆腐", 0xA09293B98CB40573),
    _text("C03", "他去河边钓鱼", "他 去 河边 钓鱼", 0x52420844853022D3),
    _text("C05", "借书 借书 借书 借书 借书", "借书 借书 借书 借书 借书", 0xA4A30EC3EAC4F70C),
    _text("C05", "借书 借书 借书", "借书 借书 借书", 0xA4A30EC3EAC4F70C),
    _text("C06", "小店昨天卖出二十斤橘子", "小店 昨天 卖出 二十斤 橘子", 0x0EA7A244228B8692),
    _text("C06", "小店昨天卖出二十斤柚子", "小店 昨天 卖出 二十斤 柚子", 0x2D2EAE45230B8602),
    _text("D01", "第３集　海岛ＡＢ", "第 3 集 海岛 ab", 0x36409C63B2E1F3A8),
    _text("D01", "第3集 海岛AB", "第 3 集 海岛 ab", 0x36409C63B2E1F3A8),
    _text("D03", "山 上\r\n有 庙", "山 上 有 庙", 0x011C284905061809),
    _text("D03", "山 上\n有 庙", "山 上 有 庙", 0x011C284905061809),
    _text("D04", "计算机网络安全技术", "计算机 网络安全 技术", 0x2C56AF01A62F970E),
    _text("D04", "http://x.cn/a?b=2", "http : / / x . cn / a ? b = 2", 0xBE7EEBDF7D1CC7D9),
    _text("D04", "龘字难写", "龘 字 难 写", 0xA410C22423423410),
    _text("D05", "㐂字招牌", "㐂 字 招牌", 0xF8A6073C3FD13D5C),
    _text("D05", "字招牌", "字 招牌", 0xB084031034D13C14),
    _text("D06", "Linux内核", "linux 内核", 0x1008810DD3024096),
    _text("D06", "LINUX内核", "linux 内核", 0x1008810DD3024096),
    _text("D07", "晚饭🍜真香", "晚饭 🍜 真香", 0x94C9712E932F2633),
    _text("D07", "晚饭", "晚饭", 0x9CD5697A934D663F),
    _text("E01", "青岚书目库开放了", "青岚 书目 库 开放 了", 0xE6F26161E2DFEB36),
)

WITHOUT_PUNCTUATION = (
    _text("D04", "http://x.cn/a?b=2", "http x cn a b 2", 0x28065846593406A8),
    _text("D07", "晚饭🍜真香", "晚饭 真香", 0x94C1412213040432),
)

DICTIONARY = "青岚书目库 800 n\n"
WITH_DICTIONARY = _text("E01", "青岚书目库开放了", "青岚书目库 开放 了", 0)
"""The same text where the word is known; its bits are those of its tokens."""
