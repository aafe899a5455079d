# Takes the first legal move of every turn.
while IFS= read -r line; do
    case $line in
    '{"type":"hello"'*) echo '{"type":"hello","version":1,"name":"first-bot"}' ;;
    '{"type":"new_game"'*) echo '{"type":"ready"}' ;;
    '{"type":"turn"'*)
        id=${line#*'"id":'}
        echo '{"type":"move","id":'"${id%%,*}"',"index":0}'
        ;;
    '{"type":"quit"'*) exit ;;
    esac
done
