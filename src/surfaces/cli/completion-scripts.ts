/**
 * The scripts that complete `coppice` in each shell.
 *
 * They ask `coppice complete` for every word, so that a script fits every later version. It prints
 * lines of a value, a tab and a few words about it; the line `:files` or `:folders` asks for paths.
 */

export const SHELLS = ["bash", "zsh", "fish"] as const
export type ShellName = (typeof SHELLS)[number]

/** Runs in bash 3.2 too, which macOS has. When bash lists candidates, each is shown with its words. */
const BASH = `# Completes coppice in bash. In ~/.bashrc: source <(coppice completion bash)
_coppice() {
  local typed="\${COMP_WORDS[COMP_CWORD]}" tab=$'\\t' line value about
  [ "$typed" = "=" ] && typed=""
  COMPREPLY=()
  while IFS= read -r line; do
    value="\${line%%"$tab"*}" about=""
    case "$line" in *"$tab"*) about="\${line#*"$tab"}" ;; esac
    case "$value" in
      :files) while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "$typed") ;;
      :folders) while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -d -- "$typed") ;;
      *) COMPREPLY+=("$value\${about:+$tab$about}"); continue ;;
    esac
    compopt -o filenames 2>/dev/null
  done < <(coppice complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  local at isListing=""
  case "$COMP_TYPE" in 33 | 63 | 64) [ "\${#COMPREPLY[@]}" -gt 1 ] && isListing=yes ;; esac
  for at in "\${!COMPREPLY[@]}"; do
    value="\${COMPREPLY[at]%%"$tab"*}" about="\${COMPREPLY[at]#"$value"}"
    COMPREPLY[at]="$value"
    [ -n "$isListing" ] && [ -n "$about" ] && COMPREPLY[at]="$value  (\${about#"$tab"})"
  done
}
complete -F _coppice coppice
`

const ZSH = `#compdef coppice
# Completes coppice in zsh. In ~/.zshrc, after compinit: source <(coppice completion zsh)
_coppice() {
  local line value tab=$'\\t'
  local -a found described
  found=("\${(@f)$(coppice complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  for line in "\${found[@]}"; do
    value="\${line%%$tab*}"
    case "$value" in
      "") ;;
      :files) _files ;;
      :folders) _files -/ ;;
      *) described+=("\${value//:/\\\\:}:\${line#*$tab}") ;;
    esac
  done
  (( \${#described} )) && _describe -V coppice described
}
if [ "\${funcstack[1]}" = _coppice ]; then _coppice "$@"; else compdef _coppice coppice; fi
`

const FISH = `# Completes coppice in fish. In ~/.config/fish/config.fish: coppice completion fish | source
function __coppice_complete
  set -l words (commandline -opc) (commandline -ct)
  for line in (coppice complete -- $words[2..-1] 2>/dev/null)
    switch $line
      case :files
        __fish_complete_path (commandline -ct)
      case :folders
        __fish_complete_directories (commandline -ct)
      case '*'
        echo $line
    end
  end
end
complete -c coppice -f -k -a '(__coppice_complete)'
`

export const SCRIPTS: Readonly<Record<ShellName, string>> = { bash: BASH, zsh: ZSH, fish: FISH }
