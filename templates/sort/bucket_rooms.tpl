$ -- Where the next keys of a part (of one upper digit) and of a bucket go, in the scratch: blocks take room there.
const uint PART_ROOMS_OFFSET = $(part_rooms_offset)u; // bytes, in the scratch
const uint BUCKET_ROOMS_OFFSET = $(bucket_rooms_offset)u;
const uint ROOM_WORDS = $(room_words)u; // from one part's to the next

$(buffer("Rooms", "uint", 4))
