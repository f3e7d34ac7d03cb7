#compdef pinion
# zsh completion for pinion. Write it to a file named _pinion in a directory of
# $fpath: pinion completion zsh > "${fpath[1]}/_pinion"
_pinion() {
    local -a lines described
    local line ret=1
    lines=("${(@f)$("${words[1]}" __complete "${(@)words[2,CURRENT]}" 2>/dev/null)}")
    for line in "${lines[@]}"; do
        if [[ $line == :files ]]; then
            _files && ret=0
        elif [[ -n $line ]]; then
            described+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
        fi
    done
    (( $#described )) && _describe -t pinion pinion described && ret=0
    return ret
}
if [[ ${funcstack[1]} == _pinion ]]; then
    _pinion "$@"
else
    compdef _pinion pinion
fi
