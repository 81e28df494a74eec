"""Names that code has without declaring them: of languages, platforms and common frameworks."""

import builtins
from functools import cache

from ipuaro_jupyter.languages.offered_names import is_offered_to_ecmascript, is_offered_to_python

_ECMASCRIPT = """
addEventListener appendChild apply arrayBuffer assign asyncIterator at bind call catch charAt
charCodeAt classList className clearRect clientHeight clientWidth cloneNode codePointAt concat
contentWindow copyWithin createElement createElementNS createObjectURL createTextNode
currentTarget dataset defineProperties defineProperty deleteProperty dispatchEvent endsWith
entries every execCommand exec fill filter finally findIndex findLast findLastIndex flat flatMap
forEach freeze fromCharCode fromCodePoint fromEntries getAttribute getBoundingClientRect
getContext getElementById getElementsByClassName getElementsByTagName getItem
getOwnPropertyDescriptor getOwnPropertyNames getOwnPropertySymbols getPrototypeOf getTime
getTimezoneOffset groupBy hasAttribute hasInstance hasOwn hasOwnProperty includes indexOf
innerHTML innerText innerWidth innerHeight insertBefore isArray isExtensible isFinite isFrozen
isInteger isNaN isPrototypeOf isSafeInteger isSealed keyCode lastIndexOf localeCompare matchAll
nextSibling nextTick normalize now offsetHeight offsetWidth offsetTop offsetLeft ownKeys padEnd
padStart parentElement parentNode parseFloat parseInt preventDefault preventExtensions
propertyIsEnumerable querySelector querySelectorAll race raceAll reduce reduceRight
removeAttribute removeChild removeEventListener removeItem replaceAll replaceChild
requestFullscreen revokeObjectURL scrollIntoView scrollHeight scrollTop setAttribute setItem
setPrototypeOf slice some sort splice startsWith stopImmediatePropagation stopPropagation
stringify structuredClone substr substring textContent then toFixed toISOString toJSON
toLocaleDateString toLocaleLowerCase toLocaleString toLocaleTimeString toLocaleUpperCase
toLowerCase toPrecision toPrimitive toReversed toSorted toSpliced toString toStringTag toUpperCase
trim trimEnd trimStart unscopables unshift valueOf withResolvers writeText readText allSettled any
resolve reject isPrimitive constructor prototype length readFile readFileSync writeFile
writeFileSync appendFile appendFileSync existsSync mkdirSync readdirSync statSync unlinkSync
createReadStream createWriteStream createServer createHash createHmac randomBytes randomUUID
timingSafeEqual scryptSync pbkdf2 pbkdf2Sync execSync execFile spawnSync fileURLToPath
pathToFileURL setMaxListeners removeListener removeAllListeners unhandledRejection
uncaughtException ECONNREFUSED ECONNRESET ENOENT EACCES EEXIST EPERM ETIMEDOUT AsyncLocalStorage
EventEmitter IncomingMessage ServerResponse ReadStream WriteStream useCallback useContext
useDebugValue useDeferredValue useEffect useId useImperativeHandle useInsertionEffect
useLayoutEffect useMemo useReducer useRef useState useSyncExternalStore useTransition
useActionState useFormStatus useOptimistic createContext createPortal createRoot createRef
forwardRef lazy memo startTransition hydrateRoot cloneElement isValidElement componentDidCatch
componentDidMount componentDidUpdate componentWillMount componentWillUnmount
getDerivedStateFromError getDerivedStateFromProps getSnapshotBeforeUpdate shouldComponentUpdate
setState forceUpdate defaultProps propTypes StrictMode Suspense ReactNode ReactElement
PureComponent FunctionComponent ErrorBoundary getServerSideProps getStaticProps getStaticPaths
computed onMounted onUnmounted onBeforeMount onBeforeUnmount onUpdated watchEffect shallowRef
toRefs defineComponent createApp ngOnInit ngOnDestroy ngOnChanges HttpClient beforeEach afterEach
beforeAll afterAll toBe toEqual toHaveBeenCalled toHaveBeenCalledWith toMatchSnapshot toThrow
mockImplementation mockReturnValue spyOn noImplicitAny noImplicitOverride noUncheckedIndexedAccess
strictNullChecks esModuleInterop moduleResolution compilerOptions baseUrl rootDir outDir
skipLibCheck isolatedModules resolveJsonModule allowJs checkJs declarationMap sourceMap
devDependencies peerDependencies optionalDependencies sideEffects typesVersions
"""
_PRODUCTS = """
JavaScript TypeScript CoffeeScript PostgreSQL MySQL SQLite MongoDB GraphQL GitHub GitLab BitBucket
VSCode JetBrains IntelliJ PyCharm WebStorm macOS iOS iPadOS OpenSSL OpenAPI OpenAI FastAPI NumPy
SciPy PyTorch TensorFlow PyPI NodeJS NextJS NuxtJS VueJS ReactJS AngularJS ExpressJS NestJS RxJS
jQuery WebGL WebGPU WebRTC WebAssembly WebSocket OAuth OAuth2 OpenID JWT JSONP JSONSchema YouTube
LinkedIn DynamoDB CloudFront CloudFlare LangChain HuggingFace DevTools ESLint TSLint SonarQube
Next_js NaN CommonJS UTF8 IPv4 IPv6 DataFrame camelCase snake_case PascalCase kebabCase dotenv
README
"""
_PYTHON_TYPES = (str, bytes, list, dict, set, frozenset, tuple, int, float, complex, bytearray)
_PYTHON = """
dataclass dataclasses field asdict astuple namedtuple defaultdict OrderedDict Counter deque
ChainMap lru_cache cached_property wraps partial partialmethod singledispatch total_ordering
reduce chain islice groupby product permutations combinations accumulate contextmanager
asynccontextmanager suppress ExitStack redirect_stdout nullcontext read_text write_text read_bytes
write_bytes is_file is_dir iterdir relative_to with_suffix mkdir makedirs listdir getcwd chdir
environ getenv abspath basename dirname expanduser check_call check_output run_until_complete
create_task gather wait_for to_thread get_event_loop sleep as_completed ThreadPoolExecutor
ProcessPoolExecutor getLogger basicConfig setLevel addHandler fromisoformat isoformat strftime
strptime utcnow timedelta perf_counter monotonic process_time ArgumentParser add_argument
parse_args add_subparsers loads dumps compile fullmatch findall finditer match search TypedDict
TypeVar ParamSpec NamedTuple NewType Protocol Literal Annotated Optional Union Callable Iterable
Iterator Generator Awaitable Coroutine TYPE_CHECKING runtime_checkable abstractmethod ABCMeta
setUp tearDown setUpClass tearDownClass assertEqual assertTrue assertFalse assertRaises assertIn
assertIsNone MagicMock AsyncMock monkeypatch tmp_path capsys caplog parametrize fixture conftest
site_packages sys_path PYTHONPATH BaseModel model_validate model_dump model_copy model_config
field_validator model_validator read_csv to_csv to_parquet iterrows groupby value_counts
drop_duplicates sort_values reset_index set_index fillna dropna isnull astype ndarray asarray
zeros_like ones_like linspace arange urlopen urlparse urlencode get_or_create select_related
prefetch_related objects_all render_template
"""
_FREE = frozenset(f"{_ECMASCRIPT} {_PRODUCTS} {_PYTHON}".split())


@cache
def _of_python() -> frozenset[str]:
    return frozenset(name for kind in _PYTHON_TYPES for name in dir(kind)) | frozenset(
        dir(builtins)
    )


def is_standard(name: str) -> bool:
    """Whether a bare name is one of a language, a platform, a product or a common framework."""
    return (
        name in _FREE
        or (name.startswith("__") and name.endswith("__"))
        or name in _of_python()
        or is_offered_to_ecmascript(name, imported=True)
        or is_offered_to_python(name, "")
    )
