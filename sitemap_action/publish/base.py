"""The reconciler: what is wanted on a forge, against what is seen there.

A flow brings one thing about: a commit, the pull request, the comment, the issue, the submission to search engines.
It looks, compares with what is wanted, and takes the steps that are missing, each of them one request. Three rules
make it safe to begin a flow again at any point, in this run or in the next one.

1. **A look before every attempt.** A read is repeated while the server asks for patience (`github_api`). A step that
   changes something is sent once: where its answer is lost, or asks for patience, the flow begins again with a look,
   and what the lost step did is found and not done twice.
2. **Compare and swap.** A step names what it expects to be there: `expectedHeadOid` of a commit, `beforeOid` of a
   reference, a lease of a push, the creation of a name that must be free. Where somebody was faster it is refused,
   and the flow looks again.
3. **Ours alone.** A branch, a request, an issue is ours by the trailers that name site and sitemap (`SiteMark`), a
   commit by these and its committer, a comment by its marker and author. What is not ours is neither moved, changed,
   closed nor deleted: the flow ends and says so.

A journal keeps what each step did, whatever becomes of the next one. Outputs, sentences, the comment and the exit code
are made from it: after a failure they still say what was done before.
"""

from collections.abc import Callable
from typing import TypeVar

from msgspec.structs import replace

from sitemap_action.errors import PublishError
from sitemap_action.model.step import Operation, Published, StepResult
from sitemap_action.repo.github_api import TRIES, Pause, TransientError, reconcile, wait

_T = TypeVar("_T")


class Journal:
    """What the steps of one flow came to. A step that was begun and not answered counts as done once its flow ends."""

    def __init__(self) -> None:
        self._known = Published()
        self._steps: dict[str, StepResult] = {}
        self._error: PublishError | None = None
        self._failed: set[str] = set()  # kinds of steps that were refused

    def know(self, **found: str | int) -> None:
        """Fields of the result; an empty value changes none."""
        self._known = replace(self._known, **{name: value for name, value in found.items() if value})

    def note(self, text: str) -> None:
        if text not in self._known.notes:
            self._known = replace(self._known, notes=(*self._known.notes, text))

    def has_begun(self, kind: str) -> bool:
        return kind in self._steps

    def step(self, kind: str, detail: str, act: Callable[[], _T]) -> _T:
        """Take a step; what it returns."""
        self._steps[kind] = StepResult(kind, done=False, detail=detail)
        found = act()
        self._steps[kind] = StepResult(kind, done=True, detail=detail)
        return found

    def addition(self, kind: str, detail: str, act: Callable[[], object]) -> None:
        """Take a step that no other one needs: where it is refused, the others are taken all the same.

        `act` returns False where it has seen that nothing is to be done.
        """
        try:
            if kind not in self._failed and self.step(kind, detail, act) is False:
                del self._steps[kind]
        except TransientError:
            raise
        except PublishError as error:
            self._fail(error)

    def _fail(self, error: PublishError) -> None:
        self._error = self._error or error
        for kind in [kind for kind, one in self._steps.items() if not one.done and kind not in self._failed][-1:]:
            self._failed.add(kind)
            self._steps[kind] = StepResult(kind, done=False, detail=str(error))

    def close(self, error: PublishError | None) -> Published:
        """What is known at the end of the flow."""
        if error is not None:
            self._fail(error)
        if self._error is None:
            self._steps = {kind: replace(one, done=True) for kind, one in self._steps.items()}
        steps = tuple(self._steps.values())
        done = {one.kind for one in steps if one.done}
        failed = {"error": str(self._error), "hint": self._error.hint} if self._error else {}
        return replace(self._known, steps=steps, operation=_operation(done, self._known.number), **failed)


def _operation(done: set[str], number: int) -> Operation:
    """What was done about the pull request."""
    if "open" in done:
        return Operation.CREATED
    if "close" in done:
        return Operation.CLOSED
    return Operation.UPDATED if number and done else Operation.NONE


def carry_out(flow: Callable[[Journal], None], pause: Pause = wait, tries: int = TRIES) -> Published:
    """Run a flow until it ends, again after each step whose answer was lost; never raises."""
    journal = Journal()
    try:
        reconcile(lambda: flow(journal), tries=tries, pause=pause)
    except PublishError as error:
        return journal.close(error)
    return journal.close(None)
