# Quotes a name so that PowerShell takes it as one text.
function script:Protect-PlaytestName([string] $Name) {
    if ($Name -match '^[A-Za-z0-9_][A-Za-z0-9_.:/+-]*$') { return $Name }
    return "'" + [System.Management.Automation.Language.CodeGeneration]::EscapeSingleQuotedStringContent($Name) + "'"
}

# One candidate: what is inserted, what is listed, and what is told of it.
function script:New-PlaytestResult([string] $Text, [string] $Shown, [string] $Kind, [string] $About) {
    if (-not $About) { $About = $Shown }
    [System.Management.Automation.CompletionResult]::new($Text, $Shown, $Kind, $About)
}

# Candidates that a spec names.
function script:Get-PlaytestValues([string] $Spec, [string] $Lead, [string] $Typed, [string[]] $Before) {
    foreach ($one in $Spec.Split(' ', [System.StringSplitOptions]::RemoveEmptyEntries)) {
        if ($one -eq ',') {
            $Lead += $Typed -replace '[^,]*$', ''
        } elseif ($one -eq '@files') {
            [System.Management.Automation.CompletionCompleters]::CompleteFilename($Typed) | ForEach-Object {
                New-PlaytestResult ($Lead + $_.CompletionText) $_.ListItemText 'ProviderItem' $_.ToolTip
            }
        } elseif ($one -eq '@command') {
            [System.Management.Automation.CompletionCompleters]::CompleteCommand($Typed)
        } elseif ($one.StartsWith('@')) {
            & playtest __complete $one.Substring(1) -- @Before 2>$null | ForEach-Object {
                if ($_.StartsWith($Typed.Trim("'"))) { New-PlaytestResult ($Lead + (Protect-PlaytestName $_)) $_ 'ParameterValue' '' }
            }
        } elseif (($Lead + $one).EndsWith($one) -and $one.StartsWith(($Typed -replace '^.*,', ''))) {
            New-PlaytestResult ($Lead + $one) $one 'ParameterValue' ''
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
    $behind = $false
    $helping = $false
    foreach ($plain in $before) {
        $next = "$node $plain".Trim()
        if ($expecting) {
            $expecting = ''
        } elseif (-not $behind -and $plain -eq '--') {
            $behind = $true
        } elseif (-not $behind -and $plain.StartsWith('-')) {
            if ($script:PlaytestValues.ContainsKey("$node|$plain") -or $script:PlaytestValues.ContainsKey("*|$plain")) { $expecting = $plain }
        } elseif ($node -eq '' -and -not $helping -and $plain -eq 'help') {
            $helping = $true
        } elseif ($position -eq 0 -and $script:PlaytestNodes.ContainsKey($next)) {
            $node = $next
        } else {
            $position += 1
        }
    }
    $lead = ''
    $typed = $wordToComplete
    if (-not $expecting -and -not $behind -and $wordToComplete -match '^(--[^=]+)=(.*)$') {
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
    $told = @()
    if ($helping) {
        if ($node -eq '') { $told += @($script:PlaytestNodes['help'].Children) }
        $told += @($here.Children)
    } elseif (-not $behind -and $wordToComplete.StartsWith('-')) {
        $told = @($here.Switches) + @($script:PlaytestGlobal)
    } elseif (@($here.Children).Count -gt 0 -and $position -eq 0) {
        $told = @($here.Children)
    } else {
        $operands = @($here.Operands)
        if ($here.Repeats -and $position -ge $operands.Count) { $position = $operands.Count - 1 }
        if ($position -lt $operands.Count) { return Get-PlaytestValues $operands[$position] '' $wordToComplete $before }
        return
    }
    foreach ($pair in $told) {
        $word, $about = $pair.Split("`t", 2)
        if ($word.StartsWith($wordToComplete)) { New-PlaytestResult $word $word 'ParameterValue' $about }
    }
}
