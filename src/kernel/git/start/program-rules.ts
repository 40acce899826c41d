/** Settings that name a program, and how each gives way to the user's own or to none. Pure. */

type ProgramRule = {
  readonly key: RegExp
  /** The value in force if the user has set none. */
  readonly neutral: string
}

export const PROGRAM_RULES: readonly ProgramRule[] = [
  { key: /^filter\..*\.(clean|smudge|process)$/s, neutral: "" }, // content stays as it is
  { key: /^merge\..*\.driver$/s, neutral: "false" }, // a conflict
  { key: /^diff\.(.*\.)?(command|external)$/s, neutral: "false" },
  { key: /^diff\..*\.textconv$/s, neutral: "cat" },
  { key: /^core\.sshcommand$/, neutral: "ssh" },
  { key: /^core\.(editor|askpass|alternaterefscommand)$/, neutral: "true" },
  { key: /^sequence\.editor$/, neutral: "true" },
  { key: /^(core\.pager|interactive\.difffilter)$/, neutral: "cat" },
  { key: /^gpg\.(.*\.)?(program|defaultkeycommand)$/s, neutral: "false" },
  { key: /^trailer\..*\.(command|cmd)$/s, neutral: "true" },
  { key: /^submodule\..*\.update$/s, neutral: "checkout" },
  { key: /^lfs\.extension\..*\.(clean|smudge)$/s, neutral: "cat" },
  { key: /^lfs\.customtransfer\..*\.path$/s, neutral: "false" },
  { key: /^lfs\.customtransfer\..*\.args$/s, neutral: "" },
  { key: /^lfs\.(.*\.)?standalonetransferagent$/s, neutral: "" },
  { key: /^remote\..*\.uploadpack$/s, neutral: "git-upload-pack" },
  { key: /^remote\..*\.receivepack$/s, neutral: "git-receive-pack" },
]
/** Each value of these adds to those before. */
export const CREDENTIAL_HELPER = /^credential\.(.*\.)?helper$/s
export const GIT_PROXY = "core.gitproxy"

/** Names the drivers that the others define. */
export const ATTRIBUTES = "core.attributesfile"
/** Git completes a name to a command, such as `remote-<protocol>`, and finds it among the aliases. */
export const ALIAS = /^alias\./
export const PROTOCOL = /^protocol\.(?!ext\.|fd\.).*\.allow$/s
