/**
 * The settings of a repository's own git configuration that are harmless in the daemon's git: they
 * start no program, and lead no request and no file elsewhere. Pure.
 *
 * A section that neither git nor a program of git's reads is a tool's own: all of it is harmless
 * (docs/adr/0153). For git's sections this is a list of what we know. A key that is missing there, such
 * as one that a later git invents, waits for a person: see program-settings.ts. From git 2.39 to 2.55,
 * and git-lfs.
 */

import type { GitProgram } from "./program-text.ts"

/** Commands that the daemon never starts, and words and colours. All of their settings are harmless. */
const OF_OTHER_COMMANDS = [
  ...["advice", "am", "bisect", "blame", "browser", "color", "column", "completion", "difftool"],
  ...["format", "fsck", "gitcvs", "gitweb", "grep", "gui", "guitool", "help", "imap", "instaweb"],
  ...["mailinfo", "maintenance", "man", "mergetool", "pager", "patchid", "pretty", "remotes"],
  ...["scalar", "sendemail", "showbranch", "sideband", "svn", "svn-remote", "versionsort", "web"],
]
const WHOLE = new Set(OF_OTHER_COMMANDS)

/** Sections of git that have no harmless name. */
const WITHOUT_NAMES = ["alias", "bundle", "hook", "promisor", "sequence", "trace2"]
/** Sections of filters and remote helpers. The user's configuration can have git start one, which starts what these name. */
const OF_HELPERS = "annex cinnabar gcrypt git-crypt gitcrypt remote-hg transcrypt".split(" ")

/** Of git, and of Git Credential Manager. */
const CREDENTIAL = `autodetecttimeout azreposcredentialtype bitbucketauthmodes githubaccountfiltering
  githubauthmodes gitlabauthmodes guiprompt guisoftwarerendering interactive msauthflow msauthusebroker
  msauthusedefaultaccount namespace provider sanitizeprompt skipwwwauth usehttppath username validate`
const HTTP = `emptyauth extraheader keepalivecount keepaliveidle keepaliveinterval lowspeedlimit
  lowspeedtime maxrequests maxretries maxretrytime minsessions noepsv postbuffer retryafter
  schannelcheckrevoke schannelusesslcainfo sslbackend useragent version`

/** Sent as it is: another header, such as Host, would have another site answer. */
const EXTRA_HEADER = /^http\.(.*\.)?extraheader$/s
const LOGIN = /^authorization:/i
/** Words of a request; a line break in one begins another header. */
const OF_REQUEST = /^http\./

/** Names by section. A section with `.*` is one that has a subsection; a name `*` stands for all. */
const NAMES: Readonly<Record<string, string>> = {
  "add.*": "usebuiltin",
  add: "ignoreerrors",
  apply: "ignorewhitespace whitespace",
  attr: "tree",
  author: "email name",
  "bitmappseudomerge.*": "decay maxmerges pattern samplerate stablesize stablethreshold threshold",
  "branch.*": "*", // tools keep notes here; git's own are for a pull, push or rebase by a person
  branch: "autosetupmerge autosetuprebase sort",
  checkout: "defaultremote guess thresholdforparallelism workers",
  clean: "requireforce",
  clone: "defaultremotename filtersubmodules rejectshallow",
  commit: "cleanup status template verbose",
  commitgraph: "changedpaths changedpathsversion generationversion maxnewfilters readchangedpaths",
  committer: "email name",
  core: `abbrev alternaterefsprefixes autocrlf bare bigfilethreshold checkroundtripencoding
    commentchar commentstring compression configlocktimeout configwritelocktimeoutms createobject
    deltabasecachelimit eol excludesfile filemode filesreflocktimeout fscache fsmonitorhookversion
    fsync fsyncmethod fsyncobjectfiles hidedotfiles ignorecase lockfilepid logallrefupdates longpaths
    loosecompression maxtreedepth multipackindex notesref packedgitlimit packedgitwindowsize
    packedrefstimeout partialclonefilter precomposeunicode prefersymlinkrefs preloadindex protecthfs protectntfs
    repositoryformatversion
    restrictinheritedhandles sharedrepository sparsecheckout sparsecheckoutcone splitindex symlinks
    unsetenvvars untrackedcache usebuiltinfsmonitor usereplacerefs warnambiguousrefs whitespace worktree`,
  "credential.*": CREDENTIAL,
  credential: CREDENTIAL,
  credentialcache: "ignoresighup",
  credentialstore: "locktimeoutms",
  "diff.*": "algorithm binary cachetextconv funcname trustexitcode wordregex xfuncname",
  diff: `algorithm autorefreshindex colormoved colormovedws context dirstat dstprefix guitool
    ignoresubmodules indentheuristic interhunkcontext mnemonicprefix noprefix orderfile relative
    renamelimit renames srcprefix statgraphwidth statnamewidth submodule suppressblankempty tool
    trustexitcode wordregex wserrorhighlight`,
  extensions: `compatobjectformat noop noop-v1 objectformat partialclone preciousobjects refstorage
    relativeworktrees submodulepathconfig worktreeconfig`,
  fastimport: "unpacklimit",
  feature: "experimental manyfiles",
  "fetch.*": "*", // fetch.fsck.<what is wrong>
  fetch: `all followremotehead fsckobjects negotiationalgorithm output parallel prune prunetags
    recursesubmodules showforcedupdates unpacklimit writecommitgraph`,
  "filter.*": "extrakeys keepcount keepid keepoutput required", // of nbstripout, but for the last
  fsmonitor: "allowremote socketdir",
  "gc.*": "reflogexpire reflogexpireunreachable",
  gc: `aggressivedepth aggressivewindow autodetach autopacklimit bigpackthreshold cruftpacks
    logexpiry maxcruftsize packrefs pruneexpire reflogexpire reflogexpireunreachable rerereresolved
    rerereunresolved worktreepruneexpire writecommitgraph`,
  "gpg.*": "allowedsignersfile revocationfile",
  gpg: "format mintrustlevel",
  "http.*": HTTP,
  http: HTTP,
  i18n: "commitencoding filesencoding logoutputencoding",
  include: "path",
  "includeif.*": "path",
  index: "recordendofindexentries recordoffsettable skiphash sparse threads version",
  init: "defaultbranch defaultobjectformat defaultrefformat defaultsubmodulepathconfig",
  interactive: "singlekey",
  "lfs.*": `access activitytimeout autodetect automultiplex batchsize concurrent contenttype direction
    enablehrefrewrite httpdownloadencoding locksverify maxretries maxretrydelay maxretrytime
    maxverifies priority retries searchall sshtransfer`,
  lfs: `activitytimeout allowincompletepush basictransfersonly batch cachecredentials
    concurrenttransfers defaulttokenttl dialtimeout fetchexclude fetchinclude fetchrecentalways
    fetchrecentcommitsdays fetchrecentrefsdays fetchrecentremoterefs forceprogress gitprotocol
    keepalive largefilewarning lockignoredfiles locksverify pathfiltercachesize pruneoffsetdays
    pruneremotetocheck pruneverifyremotealways pruneverifyunreachablealways pushurl
    repositoryformatversion setlockablereadonly skipdownloaderrors sshtransfer tlstimeout
    tustransfers url`,
  log: `abbrevcommit date decorate diffmerges excludedecoration follow graphcolors graphindent
    initialdecorationset mailmap showroot`,
  lsrefs: "unborn",
  mailmap: "blob file",
  "merge.*": "name recursive",
  merge: `autostash branchdesc conflictstyle defaulttoupstream ff guitool log renamelimit stat
    suppressdest tool verbosity verifysignatures`,
  "notes.*": "amend mergestrategy rebase",
  notes: "displayref mergestrategy rewritemode rewriteref",
  pack: `allowpackreuse compression deltacachelimit deltacachesize depth indexversion island
    islandcore packsizelimit preferbitmaptips readreverseindex threads usebitmapboundarytraversal
    usebitmaps usepathwalk usesparse window windowmemory writebitmaphashcache writebitmaps
    writebitmaplookuptable writereverseindex`,
  protocol: "version",
  pull: "autostash ff octopus rebase twohead",
  push: `autosetupremote default followtags gpgsign negotiate recursesubmodules
    usebitmaps useforceifincludes`,
  rebase: `abbreviatecommands autosquash autostash backend forkpoint instructionformat
    maxlabellength missingcommitscheck rebasemerges reschedulefailedexec stat updaterefs`,
  "receive.*": "*", // receive.fsck.<what is wrong>
  receive: `advertiseatomic advertisepushoptions autogc certnonceseed certnonceslop
    denycurrentbranch denydeletecurrent denydeletes denynonfastforwards fsckobjects hiderefs
    keepalive maxinputsize shallowupdate unpacklimit updateserverinfo`,
  reftable: "blocksize geometricfactor indexobjects locktimeout restartinterval",
  "remote.*": `advertisedas fetch followremotehead lfspushurl lfsurl mirror negotiationinclude
    negotiationrestrict partialclonefilter projectname promisor prune prunetags push pushurl
    puttykeyfile review serveroption skipdefaultupdate skipfetchall tagopt url vcs`,
  remote: "lfsdefault lfspushdefault pushdefault",
  repack: `cruftdepth cruftthreads cruftwindow cruftwindowmemory midxmustcontaincruft
    midxnewlayerthreshold midxsplitfactor packkeptobjects updateserverinfo usedeltabaseoffset
    usedeltaislands writebitmaps`,
  replay: "refaction",
  rerere: "autoupdate enabled",
  revert: "reference",
  safe: "directory",
  sparse: "expectfilesoutsideofpatterns",
  splitindex: "maxpercentchange sharedindexexpire",
  ssh: "variant",
  stash: "index showincludeuntracked showpatch showstat",
  status: `aheadbehind branch comparebranches displaycommentprefix relativepaths renamelimit renames
    short showstash showuntrackedfiles submodulesummary`,
  "submodule.*": "active branch fetchrecursesubmodules ignore url",
  submodule: "active alternateerrorstrategy alternatelocation fetchjobs propagatebranches",
  tag: "forcesignannotated gpgsign sort",
  tar: "umask",
  "trailer.*": "ifexists ifmissing key where",
  trailer: "ifexists ifmissing separators where",
  transfer: "advertiseobjectinfo advertisesid credentialsinurl fsckobjects hiderefs unpacklimit",
  uploadarchive: "allowunreachable",
  uploadpack: `allowanysha1inwant allowfilter allowreachablesha1inwant allowrefinwant
    allowtipsha1inwant hiderefs keepalive`,
  "uploadpackfilter.*": "allow maxdepth",
  uploadpackfilter: "allow",
  "url.*": "insteadof pushinsteadof",
  user: "*", // tools keep names of people here
  worktree: "guessremote userelativepaths",
}

const HARMLESS = new Map(
  Object.entries(NAMES).map(([section, names]) => [section, new Set(names.split(/\s+/))]),
)

const sectionOf = (key: string): string => key.split(".", 1)[0] ?? ""

const SECTIONS = new Set([
  ...[...WHOLE, ...WITHOUT_NAMES, ...OF_HELPERS],
  ...Object.keys(NAMES).map(sectionOf),
])

/** Whether no program that the daemon's git starts reads the section, in any version that we know. */
export const isToolsSection = (key: string): boolean => !SECTIONS.has(sectionOf(key))

/** Tools keep notes on remotes too. Names of git have no hyphen, and those of git-annex lead to programs. */
const NOTE_ON_REMOTE = /^remote\..*\.(?!annex-)[^.]*-[^.]*$/s

/** Whether a setting of git is harmless. @param setting raw bytes, section and name in lower case. */
export function isHarmless({ key, value }: Pick<GitProgram, "key" | "value">): boolean {
  if (OF_REQUEST.test(key) && /[\r\n]/.test(value)) return false
  if (EXTRA_HEADER.test(key)) return LOGIN.test(value)
  const section = sectionOf(key)
  const last = key.lastIndexOf(".")
  const names = HARMLESS.get(last > section.length ? `${section}.*` : section)
  const isListed = names !== undefined && (names.has("*") || names.has(key.slice(last + 1)))
  return isListed || WHOLE.has(section) || NOTE_ON_REMOTE.test(key)
}
