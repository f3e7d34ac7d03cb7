# fish completion for pinion. Write it to a file:
# pinion completion fish > ~/.config/fish/completions/pinion.fish
function __pinion_complete
    set -l before (commandline -opc)
    set -l current (commandline -ct)
    for line in (command pinion __complete $before[2..-1] "$current" 2>/dev/null)
        if test "$line" = ':files'
            __fish_complete_path "$current"
        else
            printf '%s\n' $line
        end
    end
end
complete -c pinion -f -a '(__pinion_complete)'
