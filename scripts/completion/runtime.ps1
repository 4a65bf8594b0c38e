# Quotes a name so that PowerShell reads it as one argument.
function script:Protect-PlaytestName([string] $Name) {
    if ($Name -match '^[A-Za-z0-9_][A-Za-z0-9_.:/+-]*$') { return $Name }
    return "'" + [System.Management.Automation.Language.CodeGeneration]::EscapeSingleQuotedStringContent($Name) + "'"
}

# Creates a candidate: the inserted text, the listed text, its kind and its description.
function script:New-PlaytestResult([string] $Text, [string] $Shown, [string] $Kind, [string] $About) {
    if (-not $About) { $About = $Shown }
    [System.Management.Automation.CompletionResult]::new($Text, $Shown, $Kind, $About)
}

# Returns the candidates of a spec.
function script:Get-PlaytestValues([string] $Spec, [string] $Lead, [string] $Typed, [string[]] $Before) {
    foreach ($part in $Spec.Split(' ', [System.StringSplitOptions]::RemoveEmptyEntries)) {
        if ($part -eq ',') {
            $Lead += $Typed -replace '[^,]*$', ''
        } elseif ($part -eq '@files') {
            [System.Management.Automation.CompletionCompleters]::CompleteFilename($Typed) | ForEach-Object {
                New-PlaytestResult ($Lead + $_.CompletionText) $_.ListItemText 'ProviderItem' $_.ToolTip
            }
        } elseif ($part -eq '@command') {
            [System.Management.Automation.CompletionCompleters]::CompleteCommand($Typed)
        } elseif ($part.StartsWith('@')) {
            & playtest __complete $part.Substring(1) -- @Before 2>$null | ForEach-Object {
                if ($_.StartsWith($Typed.Trim("'"))) { New-PlaytestResult ($Lead + (Protect-PlaytestName $_)) $_ 'ParameterValue' '' }
            }
        } elseif (($Lead + $part).EndsWith($part) -and $part.StartsWith(($Typed -replace '^.*,', ''))) {
            New-PlaytestResult ($Lead + $part) $part 'ParameterValue' ''
        }
    }
}

Register-ArgumentCompleter -Native -CommandName playtest -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $before = @($commandAst.CommandElements | Select-Object -Skip 1 |
        Where-Object { $_.Extent.EndOffset -lt $cursorPosition -and $_.Extent.Text -ne '' } |
        ForEach-Object { if ($_ -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $_.Value } else { $_.Extent.Text } })
    $node = ''
    $position = 0
    $expecting = ''
    $afterDashes = $false
    $isHelp = $false
    foreach ($plain in $before) {
        $next = "$node $plain".Trim()
        if ($expecting) {
            $expecting = ''
        } elseif (-not $afterDashes -and $plain -eq '--') {
            $afterDashes = $true
        } elseif (-not $afterDashes -and $plain.StartsWith('-')) {
            if ($script:PlaytestValues.ContainsKey("$node|$plain") -or $script:PlaytestValues.ContainsKey("*|$plain")) { $expecting = $plain }
        } elseif ($node -eq '' -and -not $isHelp -and $plain -eq 'help') {
            $isHelp = $true
        } elseif ($position -eq 0 -and $script:PlaytestNodes.ContainsKey($next)) {
            $node = $next
        } else {
            $position += 1
        }
    }
    $lead = ''
    $typed = $wordToComplete
    if (-not $expecting -and -not $afterDashes -and $wordToComplete -match '^(--[^=]+)=(.*)$') {
        $expecting = $Matches[1]
        $lead = $Matches[1] + '='
        $typed = $Matches[2]
    }
    if ($expecting) {
        $spec = $script:PlaytestValues["$node|$expecting"]
        if ($null -eq $spec) { $spec = $script:PlaytestValues["*|$expecting"] }
        return Get-PlaytestValues "$spec" $lead $typed $before
    }
    $here = $script:PlaytestNodes[$node]
    $candidates = @()
    if ($isHelp) {
        if ($node -eq '') { $candidates += @($script:PlaytestNodes['help'].Children) }
        $candidates += @($here.Children)
    } elseif (-not $afterDashes -and $wordToComplete.StartsWith('-')) {
        $candidates = @($here.Switches) + @($script:PlaytestGlobal)
    } elseif (@($here.Children).Count -gt 0 -and $position -eq 0) {
        $candidates = @($here.Children)
    } else {
        $operands = @($here.Operands)
        if ($here.Repeats -and $position -ge $operands.Count) { $position = $operands.Count - 1 }
        if ($position -lt $operands.Count) { return Get-PlaytestValues $operands[$position] '' $wordToComplete $before }
        return
    }
    foreach ($candidate in $candidates) {
        $word, $about = $candidate.Split("`t", 2)
        if ($word.StartsWith($wordToComplete)) { New-PlaytestResult $word $word 'ParameterValue' $about }
    }
}
