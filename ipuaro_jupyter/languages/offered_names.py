"""Names that a program has without an import or a declaration."""

import builtins
import re

_JAVASCRIPT = """
AggregateError Array ArrayBuffer Atomics BigInt BigInt64Array BigUint64Array Boolean DataView Date
Error EvalError FinalizationRegistry Float32Array Float64Array Function Infinity Int16Array
Int32Array Int8Array Intl Iterator JSON Map Math NaN Number Object Promise Proxy RangeError
ReferenceError Reflect RegExp Set SharedArrayBuffer String SuppressedError Symbol SyntaxError
TypeError URIError Uint16Array Uint32Array Uint8Array Uint8ClampedArray WeakMap WeakRef WeakSet
decodeURI decodeURIComponent encodeURI encodeURIComponent escape eval globalThis isFinite isNaN
parseFloat parseInt undefined unescape arguments DisposableStack AsyncDisposableStack
"""
_TYPES = """
AsyncGenerator AsyncIterable AsyncIterableIterator AsyncIterator AsyncDisposable Awaited Capitalize
ConstructorParameters Exclude Extract Generator InstanceType Iterable IterableIterator Lowercase
NoInfer NonNullable Omit OmitThisParameter Parameters Partial Pick PromiseLike PropertyDescriptor
PropertyKey ReadonlyArray ReadonlyMap ReadonlySet Readonly Required ReturnType TemplateStringsArray
ThisParameterType ThisType Uncapitalize Uppercase WeakKey ArrayLike IteratorResult RegExpMatchArray
PromiseSettledResult PromiseFulfilledResult PromiseRejectedResult ArrayBufferLike ErrorOptions
"""
_RUNTIMES = """
AbortController AbortSignal Blob BroadcastChannel Buffer ByteLengthQueuingStrategy CompressionStream
CountQueuingStrategy Crypto CryptoKey CustomEvent DOMException DecompressionStream Event EventSource
EventTarget File FormData Headers MessageChannel MessageEvent MessagePort Navigator NodeJS
Performance PerformanceEntry PerformanceObserver ReadableStream Request Response SubtleCrypto
TextDecoder TextDecoderStream TextEncoder TextEncoderStream TransformStream URL URLPattern
URLSearchParams WebAssembly WebSocket Worker WritableStream __dirname __filename atob btoa
cancelAnimationFrame clearImmediate clearInterval clearTimeout console crypto exports fetch global
module navigator performance process queueMicrotask reportError requestAnimationFrame require
setImmediate setInterval setTimeout structuredClone Bun Deno define importScripts
"""
_BROWSERS = """
AnimationEvent AudioContext CSS CSSStyleDeclaration CSSStyleSheet CanvasRenderingContext2D
ClipboardEvent ClipboardItem CloseEvent CustomElementRegistry DOMMatrix DOMParser DOMPoint DOMRect
DataTransfer DocumentFragment DragEvent ErrorEvent FileList FileReader FocusEvent FontFace
HTMLAnchorElement HTMLButtonElement HTMLCanvasElement HTMLDivElement HTMLElement HTMLFormElement
HTMLIFrameElement HTMLImageElement HTMLInputElement HTMLOptionElement HTMLSelectElement
HTMLTextAreaElement HTMLVideoElement IDBDatabase IDBKeyRange IdleDeadline ImageBitmap ImageData
InputEvent IntersectionObserver IntersectionObserverEntry KeyboardEvent MediaQueryList MediaStream
MouseEvent MutationObserver MutationRecord NodeFilter NodeList OffscreenCanvas Path2D PointerEvent
ProgressEvent PromiseRejectionEvent RequestInit RequestInfo HeadersInit BodyInit BufferSource
EventListener ResizeObserver ResizeObserverEntry ResponseInit SVGElement ServiceWorker ShadowRoot
SharedWorker StorageEvent SubmitEvent TouchEvent TransitionEvent TreeWalker UIEvent
WebGL2RenderingContext WebGLRenderingContext WheelEvent Window XMLHttpRequest XMLSerializer alert
cancelIdleCallback confirm customElements document getComputedStyle indexedDB localStorage
matchMedia postMessage prompt requestIdleCallback sessionStorage window
"""
_WORDS = """
Audio Comment Document Element History Image Node Notification Record Selection
Storage
"""
_TOOLS = """
after afterAll afterEach assertType before beforeAll beforeEach bench cy Cypress describe
expect expectTypeOf fdescribe fit it jasmine jest mocha suite suiteSetup suiteTeardown test vi
xdescribe xit xtest $ jQuery JSX
defineEmits defineExpose defineModel defineOptions defineProps defineSlots withDefaults
$bindable $derived $effect $host $inspect $props $state Astro
"""
_INSTEAD_OF_IMPORTS = frozenset(f"{_JAVASCRIPT} {_TYPES} {_RUNTIMES} {_BROWSERS} {_TOOLS}".split())
_OFFERED = _INSTEAD_OF_IMPORTS | frozenset(_WORDS.split())


def _module_of(value: object) -> str | None:
    module = getattr(value, "__module__", None)
    return module if isinstance(module, str) else None


_PYTHON = {
    *("__annotations__", "__builtins__", "__cached__", "__class__", "__file__", "__path__"),
    *("_", "display", "get_ipython", "reveal_locals", "reveal_type"),
    *("PythonFinalizationError", "WindowsError"),  # of newer ones, and of another system
}
_PYTHONS_OWN = {"builtins", "io", "_io", "_sitebuiltins", "_frozen_importlib", None}
_BUILTINS = {  # without what a kernel or gettext has put there
    name for name, value in vars(builtins).items() if _module_of(value) in _PYTHONS_OWN
}
_JUPYTER = {"c", "get_config"}
_OF_CONFIGURATIONS = re.compile(r"(?:^|/)(?:\w*_)?config\.py$")


def is_offered_to_ecmascript(name: str, *, imported: bool) -> bool:
    """Whether the language, Node, browsers, test runners, Vue, Svelte or Astro have a name.

    Not the everyday names of variables that browsers have (``name``, ``event``, ``status``).

    Args:
        name: A name of a value or a type.
        imported: It was imported before: then a ``Node`` or an ``Image`` was another one than that
            of browsers.
    """
    return name in (_INSTEAD_OF_IMPORTS if imported else _OFFERED)


def is_offered_to_python(name: str, path: str) -> bool:
    """Whether a module has a name that it does not bind.

    It may be one of the builtins, an attribute of every module, a name that ``gettext.install``,
    IPython or a type checker adds, or what Jupyter gives to a configuration.
    """
    return (
        name in _BUILTINS
        or name in _PYTHON
        or (name in _JUPYTER and bool(_OF_CONFIGURATIONS.search(path)))
    )
