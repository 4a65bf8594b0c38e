# Prints the candidates of a spec. `lead` is the part of the typed word before the value.
function __playtest_offer --argument-names spec lead value position
    for part in (string split ' ' -- $spec)
        switch $part
            case ''
            case ,
                set lead $lead(string match -r '^.*,' -- $value; or echo '')
            case @files
                __fish_complete_path $value | string replace -r '^' -- (string replace -a '\\' '\\\\' -- $lead | string replace -a '$' '\\$')
            case @command
                if test $position -gt 0
                    __fish_complete_path $value
                else
                    __fish_complete_command
                end
            case '@*'
                for name in (command playtest __complete (string sub -s 2 -- $part) -- $argv[5..-1] 2>/dev/null </dev/null)
                    # fish does not quote a leading ~, so the name would be expanded to a home folder.
                    string match -q -- '~*' $lead$name; or printf '%s\n' $lead$name
                end
            case '*'
                printf '%s\n' $lead$part
        end
    end
end

function __playtest_complete
    set -l before (commandline -opc)[2..-1]
    set -l typed (commandline -ct)
    set -l node ''
    set -l position 0
    set -l expecting ''
    set -l after_dashes ''
    set -l is_help ''
    for plain in $before
        if test -n "$expecting"
            set expecting ''
        else if test -z "$after_dashes" -a "$plain" = --
            set after_dashes 1
        else if test -z "$after_dashes"; and string match -q -- '-*' $plain
            not string match -q -- '*=*' $plain; and __playtest_value "$node" $plain >/dev/null; and set expecting $plain
        else if test -z "$node" -a -z "$is_help" -a "$plain" = help
            set is_help 1
        else
            set -l next (string trim -- "$node $plain")
            if test $position -eq 0; and __playtest_node $next children >/dev/null
                set node $next
            else
                set position (math $position + 1)
            end
        end
    end
    if test -n "$expecting"
        __playtest_offer (__playtest_value "$node" $expecting) '' $typed $position $before
    else if test -z "$after_dashes"; and string match -q -- '--*=*' $typed
        set -l parts (string split -m 1 = -- $typed)
        set -l spec (__playtest_value "$node" $parts[1])
        and __playtest_offer "$spec" $parts[1]= "$parts[2]" $position $before
    else if test -n "$is_help"
        test -z "$node"; and __playtest_node help children
        __playtest_node "$node" children
    else if test -z "$after_dashes"; and string match -q -- '-*' $typed
        __playtest_node "$node" switches
        printf '%s\n' $__playtest_global
    else if test $position -eq 0; and test -n "$(__playtest_node "$node" children)"
        __playtest_node "$node" children
    else
        set -l operands (__playtest_node "$node" operands)
        if test $position -ge (count $operands); and test -n "$(__playtest_node "$node" repeats)"
            set position (math (count $operands) - 1)
        end
        __playtest_offer "$operands[$(math $position + 1)]" '' $typed $position $before
    end
end

complete -c playtest -e
complete -c playtest -k -f -a '(__playtest_complete)'
