/**
 * Attacks of a hostile agent behind its fence, one row each: on the data of git, on other tasks, on
 * a person and on Coppice. Each is a script of the shell. It goes on when a line fails, since most
 * lines must.
 */

/** Paths of the machine that an attack names. Most are not there behind the fence. */
export type Places = {
  readonly repo: string
  /** A person's own worktree of the repository. */
  readonly mine: string
  readonly home: string
  readonly state: string
  /** Each program that runs outside leaves a file here. */
  readonly markers: string
  /** A folder in which nothing may appear. */
  readonly elsewhere: string
}

type Attack = {
  readonly name: string
  readonly script: (at: Places) => string
  /** The end of the task. Default: it lands with a harmless commit after the attack. */
  readonly ends?: "unlanded" | "in any way"
  /** A folder that a person must remove before the task can be deleted. */
  readonly remains?: string
  /** A command of git, and its answer after the attack. */
  readonly leaves?: readonly [args: readonly string[], says: string]
}

const GIT_DIR = "own=$(git rev-parse --absolute-git-dir)"

const program = ({ markers }: Places, name: string, then = "cat"): string =>
  `sh -c 'echo > ${markers}/${name}; ${then}'`

const HOOKS = "post-checkout post-index-change reference-transaction pre-commit post-commit"

/** Keys of git's configuration that name a program, or lead to one. */
const SETTINGS = (at: Places): readonly (readonly [key: string, value: string])[] => [
  ...[
    ...["core.sshCommand", "core.gitProxy", "core.fsmonitor", "core.alternateRefsCommand"],
    ...["core.editor", "core.pager", "core.askPass", "remote.origin.uploadpack"],
    ...["filter.evil.clean", "filter.evil.smudge", "diff.external", "merge.evil.driver"],
    ...["gpg.program", "credential.helper", "hook.evil.command", "uploadpack.packObjectsHook"],
  ].map((key) => [key, program(at, key)] as const),
  ["hook.evil.event", "reference-transaction"],
  ["core.hooksPath", `${at.repo}/hooks`],
  ["core.attributesFile", "/tmp/attributes"],
  ["core.worktree", at.elsewhere],
  ["core.bare", "true"],
  ["include.path", "/tmp/included"],
  ["protocol.ext.allow", "always"],
  [`url.ext::${program(at, "ext")}.insteadOf`, "https://"],
  ["remote.origin.promisor", "true"],
  ["extensions.partialClone", "origin"],
]

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** Each setting, in each place that git reads. */
const armed = (at: Places, ...places: readonly string[]): string =>
  places
    .flatMap((place) =>
      SETTINGS(at).map((pair) => `git config ${place} --add ${pair.map(quoted).join(" ")}`),
    )
    .join("\n")

const hooksIn = (at: Places, folder: string): string => `mkdir -p ${folder}
  for hook in ${HOOKS}; do
    printf '#!/bin/sh\\necho > ${at.markers}/%s\\nexit 0\\n' $hook > ${folder}/$hook; chmod +x ${folder}/$hook
  done`

const FORGED_INDEX = `echo GOOD > code-index.txt && git add code-index.txt
  evil=$(echo EVIL | git hash-object -w --stdin)
  git update-index --cacheinfo 100644,$evil,code-index.txt
  git update-index --assume-unchanged code-index.txt && git commit -qm forged`

export const ATTACKS: readonly Attack[] = [
  {
    name: "its worktree's entry names the user's repository",
    script: ({ repo }) => `${GIT_DIR}
      for file in $own/gitdir $own/commondir ${repo}/.git/worktrees/*/gitdir; do echo ${repo}/.git > $file; done
      exit 75`,
    ends: "unlanded",
  },
  {
    name: "an invented entry of a worktree is the user's checkout",
    script: ({ repo }) => `mkdir -p ${repo}/.git/worktrees/fake
      echo ${repo}/.git > ${repo}/.git/worktrees/fake/gitdir
      echo '{"home":"${repo}","task":'$COPPICE_TASK'}' > ${repo}/.git/worktrees/fake/coppice.json
      exit 75`,
    ends: "unlanded",
  },
  {
    name: "a forged mark makes a person's worktree a task's",
    script: ({ repo, mine }) => `for folder in ${repo}/.git/worktrees/mine $(dirname ${mine}); do
        mkdir -p $folder; echo '{"home":"${repo}","task":999}' > $folder/coppice.json
      done
      rm -rf ${mine}`,
  },
  {
    name: "folders of other tasks get the name of trash",
    script: ({ mine }) =>
      `mv $PWD $PWD.coppice-trash-0123456789ab; mv ${mine} ${mine}.coppice-trash-0123456789ab; cd $PWD`,
  },
  {
    name: "settings in its own and in the repository's configuration name programs",
    script: (at) => `${GIT_DIR}
      printf '[alias]\\n\\tst = !true\\n' > /tmp/included
      printf '* filter=evil merge=evil diff=evil\\n' > /tmp/attributes
      ${armed(at, "--local", `-f ${at.repo}/.git/config`, "-f $own/config.worktree")}`,
  },
  {
    name: "settings in its HOME name programs, and files ask for them",
    script: (at) => `printf 'n*.txt filter=evil merge=evil diff=evil\\n' > .gitattributes
      ${armed(at, "-f ~/.gitconfig")}
      git add .gitattributes; git commit -qm attributes; rm -f ~/.gitconfig`,
  },
  {
    name: "hooks lie in every folder of git",
    script: (at) => `${GIT_DIR}
      ${[`${at.repo}/.git/hooks`, "$own/hooks", ".githooks"].map((folder) => hooksIn(at, folder)).join("\n")}`,
  },
  {
    name: "a repository, a bare one and a submodule lie among its files",
    script: (at) => `git init -q nested; git init -q --bare bare.git
      for at in nested bare.git; do git -C $at config core.fsmonitor ${quoted(program(at, "nested"))}; done
      git -C nested commit -q --allow-empty -m inner
      printf '[submodule "nested"]\\n\\tpath = nested\\n\\turl = ext::sh -c x\\n\\tupdate = !echo > ${at.markers}/update\\n' > .gitmodules
      git add nested bare.git .gitmodules; git commit -qm submodule`,
    ends: "unlanded",
    remains: "nested",
  },
  {
    name: "a filter shows the gate other bytes than it commits",
    script: () => `printf 'code-*.txt filter=e\\n' > .gitattributes
      git config -f ~/.gitconfig filter.e.clean 'sed s/GOOD/EVIL/'
      git config -f ~/.gitconfig filter.e.smudge 'sed s/EVIL/GOOD/'
      echo GOOD > code-filter.txt; git add .; git commit -qm filtered`,
    ends: "in any way",
  },
  {
    name: "an index shows the gate other bytes than it commits",
    script: () => FORGED_INDEX,
    ends: "in any way",
  },
  {
    name: "a process that it leaves behind goes on writing",
    script: () => `echo GOOD > code-late.txt; git add code-late.txt; git commit -qm late
      setsid env -i /bin/sh -c 'while :; do echo EVIL > code-late.txt; sleep 0.01; done' > /dev/null 2>&1 &
      sleep 0.2; git checkout -q code-late.txt; exit 0`,
    ends: "in any way",
  },
  {
    name: "its branch takes the name of another work item",
    script: () => "git branch -m FIX-12",
    leaves: [["branch", "--list", "FIX-12"], ""],
  },
  {
    name: "its branch and its HEAD stand for the target",
    script: () => `branch=$(git symbolic-ref HEAD)
      git update-ref refs/heads/main $(git commit-tree -m evil HEAD^{tree})
      git symbolic-ref refs/heads/copy refs/heads/main; git symbolic-ref $branch refs/heads/copy; exit 75`,
    ends: "unlanded",
  },
  {
    name: "a commit-graph, a graft, a replacement and a shallow list are forged",
    script: ({ repo }) => `${GIT_DIR}
      for at in $own ${repo}/.git; do
        mkdir -p $at/objects/info; echo forged > $at/objects/info/commit-graph
        git rev-parse main > $at/shallow; git rev-parse main > $at/info/grafts
      done
      git replace -f main $(git commit-tree -m replaced HEAD^{tree}); rm -f $own/shallow`,
    leaves: [["for-each-ref", "refs/replace"], ""],
  },
  {
    name: "its objects lie in a store that it removes",
    script: () => `mkdir /tmp/store
      export GIT_ALTERNATE_OBJECT_DIRECTORIES=$(git rev-parse --git-path objects) GIT_OBJECT_DIRECTORY=/tmp/store
      echo lost > lost.txt; git add lost.txt; git commit -qm lost; rm -rf /tmp/store; exit 0`,
    ends: "unlanded",
  },
  {
    name: "its commit has a parent that is nowhere",
    script: () => `none=1111111111111111111111111111111111111111
      git cat-file commit HEAD | sed "s/^parent .*/parent $none/;/^tree/a parent $none" > /tmp/commit
      git update-ref HEAD $(git hash-object -t commit -w --stdin --literally < /tmp/commit); exit 0`,
    ends: "unlanded",
  },
  {
    name: "its tree has a file that stands for .git",
    script: () => `blob=$(echo "gitdir: /nowhere" | git hash-object -w --stdin)
      tree=$(printf '100644 blob %s\\t.GIT\\n' $blob | git mktree)
      git update-ref HEAD $(git commit-tree -p HEAD -m tree $tree); exit 0`,
    ends: "unlanded",
  },
  {
    name: "a process hides, and cannot be read",
    script: () => `cp $(command -v sleep) /tmp/hidden; chmod 111 /tmp/hidden
      setsid env -i /tmp/hidden 48151.62399 > /dev/null 2>&1 &
      sleep 0.2`,
  },
  {
    name: "it approves, lands and trusts as a person",
    script: ({ repo, state }) => `for word in approve land cancel delete; do
        env -u COPPICE_TASK -u COPPICE_URL coppice $word 1; env -u COPPICE_TASK coppice --home ${repo} $word 1
      done
      env -u COPPICE_TASK coppice trust --yes
      mkdir -p ${state}; echo '{}' > ${state}/trust.json; echo '{"port":1}' > ${state}/daemon.json`,
  },
  {
    name: "it changes the user's own files",
    script: ({
      home,
      repo,
    }) => `for file in ${home}/.bashrc ${home}/.gitconfig ${repo}/coppice.yml ${repo}/notes.txt; do
        echo evil >> $file
      done
      rm -rf ${home}/.ssh ${repo}/notes.txt`,
  },
  {
    name: "its coppice.yml has no gate, beside a change that the gate refuses",
    script:
      () => `echo '{"version":1,"repos":{"app":{"gate":"true"}}}' > coppice.yml; git add coppice.yml
      echo EVIL > code-gate.txt; git add code-gate.txt; git commit -qm ungated`,
    ends: "unlanded",
  },
  {
    name: "it looks for the daemon's secrets in its variables",
    script: () => '[ -z "$TOKEN_OF_DAEMON" ] || exit 75',
  },
  {
    name: "it leaves a file that is too large",
    script: () => "head -c 60000000 /dev/zero > big.bin; exit 0",
    ends: "unlanded",
  },
]
