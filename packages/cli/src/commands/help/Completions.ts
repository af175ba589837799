/**
 * `sluice completions`: a script by which a shell asks `sluice complete` what may stand at the cursor.
 *
 * A script with all endpoints and their parameters in it would have millions of characters, which a shell reads at each start.
 */
import type * as Completions from "effect/cli/Completions"
import * as Effect from "effect/Effect"
import { Screen } from "../../terminal/Screen.ts"

const scripts: Readonly<Record<Completions.Shell, string>> = {
  bash: `# Completion of sluice for bash. In ~/.bashrc: eval "$(sluice completions bash)"
_sluice() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    COMPREPLY+=("$line")
  done < <(sluice complete bash -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _sluice sluice`,
  zsh: `#compdef sluice
# Completion of sluice for zsh: sluice completions zsh > ~/.zsh/completions/_sluice, a folder of your fpath
_sluice() {
  local -a found
  found=("\${(@f)$(sluice complete zsh -- "\${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
  found=("\${(@)found:#}")
  if (( \${#found} )); then
    _describe sluice found
  else
    _files
  fi
}
if [ "\${funcstack[1]}" = "_sluice" ]; then
  _sluice "$@"
else
  compdef _sluice sluice
fi`,
  fish: `# Completion of sluice for fish: sluice completions fish > ~/.config/fish/completions/sluice.fish
function __sluice_complete
  set -l words (commandline -opc)
  set -l current (commandline -ct)
  set -l found (sluice complete fish -- $words[2..-1] "$current" 2>/dev/null)
  if test (count $found) -gt 0
    printf '%s\\n' $found
  else
    __fish_complete_path "$current"
  end
end
complete -c sluice -f -a '(__sluice_complete)'`,
  powershell: `# Completion of sluice for PowerShell: sluice completions powershell > sluice.ps1, and in $PROFILE: . <folder>\\sluice.ps1
Register-ArgumentCompleter -Native -CommandName sluice -ScriptBlock {
  param($word, $line, $cursor)
  $words = @($line.CommandElements | Select-Object -Skip 1 | Where-Object { $_.Extent.EndOffset -lt $cursor } | ForEach-Object { $_.Extent.Text.Trim('''"') })
  $typed = "$word".Trim('''"')
  sluice complete powershell '--' @words "$typed." 2>$null | ForEach-Object {
    $value, $means = $_ -split "\`t", 2
    $text = if ($value -match '[\\s{}(),;|&@$]') { "'$value'" } else { $value }
    [System.Management.Automation.CompletionResult]::new($text, $value, 'ParameterValue', $(if ($means) { $means } else { $value }))
  }
}`
}

export const run = (shell: Completions.Shell) => Effect.flatMap(Screen, ({ print }) => print(scripts[shell]))
