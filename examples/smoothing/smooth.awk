# The same of one number after the other: awk -v alpha=0.3 -f smooth.awk FILE; y to the file theirs, crossings to the file places.
BEGIN { n = 0 }
{
    for (k = 1; k <= NF; k++) {
        average += alpha * ($k - average)
        weight += alpha * (1 - weight)
        above = $k > average / weight
        if (n && above != before) print n > "places"
        before = above
        averages[n] = average
        weights[n++] = weight
    }
}
END {
    for (average = weight = 0; n; y[n] = average / weight) {
        average += alpha * (averages[--n] - average)
        weight += alpha * (weights[n] - weight)
    }
    while (n in y) print y[n++] > "theirs"
}
