# Removes versions of a gallery's images that are no longer kept. KEEP has a line for each image: its name, the number
# of versions to keep, and the version in use or -. PINNED has the ids of versions that stay in any case.
set -euo pipefail

asked() {
    awk -v name="$1" -v column="$2" '$1 == name { print $column }' <<<"$KEEP"
}

versions() { # newest first
    az sig image-version list --resource-group "$GROUP" --gallery-name "$GALLERY" --gallery-image-definition "$1" \
        --query 'reverse(sort_by([], &publishingProfile.publishedDate))[].name' --output tsv
}

for image in $(az sig image-definition list --resource-group "$GROUP" --gallery-name "$GALLERY" \
    --query '[].name' --output tsv); do
    number=$(asked "$image" 2) current=$(asked "$image" 3)
    left=${number:-0}
    for version in $(versions "$image"); do
        [ "$version" = "$current" ] && left=$((left - 1))
    done
    for version in $(versions "$image"); do
        [ "$version" = "$current" ] && continue
        if [ "$left" -gt 0 ]; then
            left=$((left - 1))
        elif ! grep -qiF "/images/$image/versions/$version" <<<"$PINNED"; then
            az sig image-version delete --resource-group "$GROUP" --gallery-name "$GALLERY" \
                --gallery-image-definition "$image" --gallery-image-version "$version"
        fi
    done
done
