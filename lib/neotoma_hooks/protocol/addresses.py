"""E-mail addresses and URLs: how two spellings of one address are compared."""

from __future__ import annotations

#: Hosts on which everybody has pages: there the host says nothing about whose page it is.
_SHARED_HOSTS = frozenset(
    "github.com gitlab.com bitbucket.org sourceforge.net "
    "huggingface.co linkedin.com twitter.com x.com facebook.com instagram.com youtube.com youtu.be reddit.com "
    "medium.com substack.com docs.google.com drive.google.com notion.so dropbox.com figma.com t.me "
    "wikipedia.org en.wikipedia.org stackoverflow.com news.ycombinator.com".split()
)


def is_email(folded: str) -> bool:
    """Does the folded text have the shape of an e-mail address?"""
    local, at, domain = folded.partition("@")
    return bool(
        local and at and "." in domain.strip(".") and " " not in folded and "@" not in domain and "/" not in local
    )


def is_url(folded: str) -> bool:
    """Does the folded text have the shape of a URL, or of a host with a path?"""
    if " " in folded:
        return False
    if "://" in folded or folded.startswith("www."):
        return True
    host, slash, _ = folded.partition("/")
    return bool(slash) and is_host(host)


def is_host(folded: str) -> bool:
    """Does the folded text have the shape of a host name with at least one dot?"""
    labels = folded.partition(":")[0].split(".")
    return (
        len(labels) > 1
        and len(labels[-1]) > 1
        and labels[-1].isalpha()
        and all(label.replace("-", "").isalnum() for label in labels)
    )


def address_of(url: str) -> str:
    """A folded URL without scheme, user, `www.`, fragment and closing slash: host, port, path and query."""
    rest = url.partition("://")[2] or url
    rest = rest.partition("#")[0]
    host, slash, path = rest.partition("/")
    return (host.rpartition("@")[2].removeprefix("www.") + slash + path).rstrip("/?")


def host_of(url: str) -> str:
    """The host of a folded URL, without `www.` and port."""
    return address_of(url).partition("/")[0].partition("?")[0].partition(":")[0]


def speaks_for_its_host(url: str) -> bool:
    """Does a folded URL lead to a page of the owner of its host? Not where everybody has pages, save the front page."""
    return host_of(url) not in _SHARED_HOSTS or "/" not in address_of(url)
