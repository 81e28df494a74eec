"""The offer of a remedy where a question comes and the model is not there."""

import importlib.util
import re
from collections.abc import Iterable
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from ipuaro_jupyter.errors import ModelError, ModelMissing
from ipuaro_jupyter.llm.hosts import is_cloud_model, stays_here
from ipuaro_jupyter.llm.in_process import RUNTIME
from ipuaro_jupyter.llm.local import GGUF, pulled_names
from ipuaro_jupyter.notebook.cell_thread import AnyCellThread
from ipuaro_jupyter.records.events import Noticed, PhaseChanged, TroubleDecided
from ipuaro_jupyter.records.trouble import ModelOffer, Trouble, short_name
from ipuaro_jupyter.settings.settings import system_settings
from ipuaro_jupyter.settings.system_settings import check_model

if TYPE_CHECKING:
    from ipuaro_jupyter.assistant import Assistant

EMBEDDED = f"{GGUF}Qwen/Qwen2.5-Coder-7B-Instruct-GGUF/qwen2.5-coder-7b-instruct-q4_k_m.gguf"
_MOST_OTHERS = 3
_LIST_S = 5.0
_CONTINUES = "a stopped download continues the next time"
_NO_SERVER = f"4.7 GB from Hugging Face, runs here without a server; {_CONTINUES}"
_NO_RUNTIME = (
    " To run a model without a server: `pip install 'ipuaro-jupyter[local]'`, then restart the "
    "kernel."
)
_EMBEDS = re.compile(r"embed|minilm|\bbge-|\be5-|\bgte-|paraphrase-|rerank", re.IGNORECASE)


def make_ready(assistant: "Assistant", thread: AnyCellThread) -> None:
    """Offer what helps while a model that runs on this machine cannot be asked, and do it.

    A model elsewhere is asked only by the turn itself.

    Args:
        assistant: No turn of it is running.
        thread: That of the cell.

    Raises:
        ModelError: It cannot be asked, and the user does not want one of the remedies.
        Cancelled: The user pressed stop.
    """
    failed: ModelError | None = None
    while error := failed or _problem(assistant):
        trouble = _trouble(assistant, error)
        remedy = thread.ask_remedy(trouble)
        if remedy.by == "nobody":
            raise error
        thread.post(TroubleDecided(trouble=trouble, remedy=remedy))
        if remedy.action == "abort":
            raise error
        failed = None
        taken = next((one for one in trouble.offers if one.name == remedy.model), None)
        if taken is not None:
            try:
                _take(assistant, taken, thread)
            except ModelError as error_of_it:
                failed = error_of_it
        thread.post(PhaseChanged(phase="thinking"))


def download(assistant: "Assistant", name: str, thread: AnyCellThread) -> None:
    """Download a model, and use it from then on.

    Raises:
        ModelError: It cannot be downloaded or used; the previous one stays.
        SettingsError: The system has another one.
        Cancelled: The user pressed stop.
    """
    from ipuaro_jupyter.llm.open_model import open_model  # noqa: PLC0415 - loads httpx

    check_model(name, system_settings())
    if name == assistant.model.name:
        for progress in assistant.model.pull(thread.cancel):
            thread.post(progress)
        return
    with closing(open_model(name, assistant.settings.llm, Path.cwd())) as other:
        for progress in other.pull(thread.cancel):
            thread.post(progress)
    assistant.use_model(name)


def others_there(name: str, listed: Iterable[str]) -> list[str]:
    """The models to offer in place of one, the most similar first.

    Those that only embed text are none, nor those that Ollama passes on to its cloud.

    Args:
        name: The model that is not there.
        listed: The names of those that are.
    """
    family = re.split(r"[:/]", name)[0]
    known = dict.fromkeys(one for one in listed if one != name)
    fit = [one for one in known if not _EMBEDS.search(one) and not is_cloud_model(one)]
    return sorted(fit, key=lambda one: (not one.startswith(family), "cod" not in one))


def _problem(assistant: "Assistant") -> ModelError | None:
    """What is wrong with a model on this machine; None where nothing is."""
    if not stays_here(assistant.model):
        return None
    try:
        assistant.model.check()
    except ModelError as error:
        return error
    return None


def _trouble(assistant: "Assistant", error: ModelError) -> Trouble:
    """The question, with the models that are there or can be fetched."""
    name, has_runtime = assistant.model.name, importlib.util.find_spec(RUNTIME) is not None
    pulled = pulled_names(assistant.settings.llm.models_folder) if has_runtime else ()
    listed: tuple[str, ...] = ()
    with suppress(ModelError):
        listed = assistant.model.models(within_s=_LIST_S)
    others = others_there(name, [*listed, *pulled])
    offers = [ModelOffer(name=other) for other in others[:_MOST_OTHERS]]
    if isinstance(error, ModelMissing):
        offers.insert(0, ModelOffer(name=name, is_download=True, note=_CONTINUES))
    if has_runtime and not pulled and not name.startswith(GGUF):
        offers.append(ModelOffer(name=EMBEDDED, is_download=True, note=_NO_SERVER))
    only = system_settings().get("llm", {}).get("model", "")
    offers = [one for one in offers if only in ("", one.name)]
    return Trouble(
        kind="model",
        message=f"{error}{'' if has_runtime else _NO_RUNTIME}",
        options=("retry", "abort"),
        offers=tuple(offers),
    )


def _take(assistant: "Assistant", offer: ModelOffer, thread: AnyCellThread) -> None:
    """Use a model, after a download if it needs one."""
    if offer.is_download:
        thread.post(PhaseChanged(phase="downloading", detail=short_name(offer.name)))
        download(assistant, offer.name, thread)
    else:
        assistant.use_model(offer.name)
    if offer.name != assistant.settings.llm.model:
        told = "answers now. To keep it, use %ipuaro start --model or set llm.model."
        thread.post(Noticed(text=f"{short_name(offer.name)} {told}"))
