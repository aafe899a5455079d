# Forgets that its standard output is for messages alone.
while IFS= read -r line; do
    case $line in
    '{"type":"hello"'*) echo '{"type":"hello","version":1}' ;;
    '{"type":"new_game"'*) echo '{"type":"ready"}' ;;
    '{"type":"turn"'*)
        echo 'let me think'
        id=${line#*'"id":'}
        echo '{"type":"move","id":'"${id%%,*}"',"index":0}'
        ;;
    '{"type":"quit"'*) exit ;;
    esac
done
