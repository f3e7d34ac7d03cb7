# bash completion for pinion. Load it with: source <(pinion completion bash)
_pinion() {
    local line=${COMP_LINE:0:COMP_POINT} cur= skip= breaks= c value rest
    local -a words
    read -ra words <<<"$line"
    [[ $line == *[[:space:]] ]] && words+=("")
    words=("${words[@]:1}")
    cur=${words[${#words[@]}-1]}
    # bash replaces only what follows the last word break, so the part before
    # it must not be in the candidates.
    for c in @ = :; do
        [[ $COMP_WORDBREAKS == *"$c"* ]] && breaks+=$c
    done
    [[ -n $breaks && $cur == *[$breaks]* ]] && skip=${cur%"${cur##*[$breaks]}"}
    COMPREPLY=()
    while IFS=$'\t' read -r value rest; do
        if [[ $value == :files ]]; then
            compopt -o default 2>/dev/null
        else
            COMPREPLY+=("${value#"$skip"}")
        fi
    done < <("${COMP_WORDS[0]}" __complete "${words[@]}" 2>/dev/null)
}
complete -F _pinion pinion
