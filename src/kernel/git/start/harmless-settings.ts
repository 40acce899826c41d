/**
 * The settings of a repository's own git configuration that are harmless in the daemon's git: they
 * start no program, and lead no request and no file elsewhere. Pure.
 *
 * This is a list of what we know. A key that is missing here, such as one that a later git invents,
 * waits for a person: see program-settings.ts. From git 2.39 to 2.54, and git-lfs.
 */

/** Commands that the daemon never starts, and words and colours. All of their settings are harmless. */
const OF_OTHER_COMMANDS = [
  ...["advice", "am", "bisect", "blame", "browser", "color", "column", "completion", "difftool"],
  ...["format", "fsck", "gitcvs", "gitweb", "grep", "gui", "guitool", "help", "imap", "instaweb"],
  ...["mailinfo", "maintenance", "man", "mergetool", "pager", "pretty", "remotes", "sendemail"],
  ...["showbranch", "svn", "svn-remote", "versionsort", "web"],
]
/** Tools that a person starts, which keep their settings in git's configuration. */
const OF_OTHER_TOOLS = [
  ...[
    "bash",
    "branchless",
    "bugtraq",
    "delta",
    "gerrit",
    "gh",
    "ghq",
    "git-p4",
    "git-town",
    "git-town-branch",
  ],
  ...["gitbutler", "gitflow", "gitg", "github", "gitlab", "gitlens", "gitreview", "gk", "glab"],
  ...[
    "hub",
    "lazygit",
    "machete",
    "magit",
    "oh-my-zsh",
    "review",
    "spice",
    "spr",
    "stgit",
    "tgit",
    "tig",
  ],
]
const WHOLE = new Set([...OF_OTHER_COMMANDS, ...OF_OTHER_TOOLS])

const CREDENTIAL = "interactive sanitizeprompt usehttppath username validate"
const HTTP = `extraheader keepalivecount keepaliveidle keepaliveinterval lowspeedlimit lowspeedtime
  maxrequests maxretries maxretrytime minsessions noepsv postbuffer retryafter useragent version`

/** Names by section. A section with `.*` is one that has a subsection. */
const NAMES: Readonly<Record<string, string>> = {
  "add.*": "usebuiltin",
  add: "ignoreerrors",
  apply: "ignorewhitespace whitespace",
  attr: "tree",
  author: "email name",
  "bitmappseudomerge.*": "decay maxmerges pattern samplerate stablesize stablethreshold threshold",
  "branch.*": `base deletemerged description gh-merge-base github-pr-base-branch github-pr-owner-number
    gk-associated-issues gk-last-accessed gk-last-modified gk-merge-base gk-merge-target
    gk-merge-target-user merge mergeoptions parent pushremote rebase remote vscode-merge-base`,
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
    packedrefstimeout precomposeunicode prefersymlinkrefs preloadindex protecthfs protectntfs
    repositoryformatversion
    restrictinheritedhandles sharedrepository sparsecheckout sparsecheckoutcone splitindex symlinks
    unsetenvvars untrackedcache usereplacerefs warnambiguousrefs whitespace worktree`,
  "credential.*": CREDENTIAL,
  credential: CREDENTIAL,
  credentialcache: "ignoresighup",
  credentialstore: "locktimeoutms",
  "diff.*": "algorithm binary cachetextconv trustexitcode wordregex xfuncname",
  diff: `algorithm autorefreshindex colormoved colormovedws context dirstat dstprefix guitool
    ignoresubmodules indentheuristic interhunkcontext mnemonicprefix noprefix orderfile relative
    renamelimit renames srcprefix statgraphwidth statnamewidth submodule suppressblankempty tool
    trustexitcode wordregex wserrorhighlight`,
  extensions: `compatobjectformat noop noop-v1 objectformat partialclone preciousobjects refstorage
    relativeworktrees submodulepathconfig worktreeconfig`,
  fastimport: "unpacklimit",
  feature: "experimental manyfiles",
  fetch: `all followremotehead fsckobjects negotiationalgorithm output parallel prune prunetags
    recursesubmodules showforcedupdates unpacklimit writecommitgraph`,
  "filter.*": "required",
  fsmonitor: "allowremote socketdir",
  "gc.*": "reflogexpire reflogexpireunreachable",
  gc: `aggressivedepth aggressivewindow autodetach autopacklimit bigpackthreshold cruftpacks
    logexpiry maxcruftsize packrefs pruneexpire reflogexpire reflogexpireunreachable rerereresolved
    rerereunresolved worktreepruneexpire writecommitgraph`,
  "gpg.*": "allowedsignersfile revocationfile",
  gpg: "format mintrustlevel",
  "http.*": HTTP,
  http: HTTP,
  i18n: "commitencoding logoutputencoding",
  include: "path",
  "includeif.*": "path",
  index: "recordendofindexentries recordoffsettable skiphash sparse threads version",
  init: "defaultbranch defaultobjectformat defaultrefformat defaultsubmodulepathconfig",
  interactive: "singlekey",
  "lfs.*": `access automultiplex concurrent contenttype direction enablehrefrewrite locksverify
    maxretries maxretrydelay maxverifies priority retries sshtransfer`,
  lfs: `activitytimeout allowincompletepush basictransfersonly batch cachecredentials
    concurrenttransfers defaulttokenttl dialtimeout fetchexclude fetchinclude fetchrecentalways
    fetchrecentcommitsdays fetchrecentrefsdays fetchrecentremoterefs forceprogress gitprotocol
    keepalive lockignoredfiles locksverify pruneoffsetdays pruneremotetocheck
    pruneverifyremotealways pruneverifyunreachablealways pushurl repositoryformatversion
    setlockablereadonly skipdownloaderrors sshtransfer tlstimeout tustransfers url`,
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
    usebitmaps usepathwalk usesparse window windowmemory writebitmaphashcache
    writebitmaplookuptable writereverseindex`,
  protocol: "version",
  pull: "autostash ff octopus rebase twohead",
  push: `autosetupremote default followtags gpgsign negotiate pushoption recursesubmodules
    usebitmaps useforceifincludes`,
  rebase: `abbreviatecommands autosquash autostash backend forkpoint instructionformat
    maxlabellength missingcommitscheck rebasemerges reschedulefailedexec stat updaterefs`,
  receive: `advertiseatomic advertisepushoptions autogc certnonceseed certnonceslop
    denycurrentbranch denydeletecurrent denydeletes denynonfastforwards fsckobjects hiderefs
    keepalive maxinputsize shallowupdate unpacklimit updateserverinfo`,
  reftable: "blocksize geometricfactor indexobjects locktimeout restartinterval",
  "remote.*": `advertisedas fetch followremotehead gh-resolved github-pr-remote glab-resolved
    lfspushurl lfsurl mirror negotiationinclude negotiationrestrict partialclonefilter promisor
    prune prunetags push pushurl serveroption skipdefaultupdate skipfetchall tagopt url vcs`,
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
  user: "email name signingkey useconfigonly",
  worktree: "guessremote userelativepaths",
}

const HARMLESS = new Map(
  Object.entries(NAMES).map(([section, names]) => [section, new Set(names.split(/\s+/))]),
)

/** @param key raw bytes, section and name in lower case. */
export function isHarmless(key: string): boolean {
  const [section = ""] = key.split(".", 1)
  const last = key.lastIndexOf(".")
  const place = last > section.length ? `${section}.*` : section
  return WHOLE.has(section) || (HARMLESS.get(place)?.has(key.slice(last + 1)) ?? false)
}
