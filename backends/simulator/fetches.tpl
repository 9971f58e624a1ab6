// Starts a copy of a word from an address to shared memory.
#define fetch_word(to, address) ms_machine_running->fetch(__LINE__, to, address)

// What this thread has fetched is there then; a barrier must follow.
#define wait_for_fetches() ms_machine_running->wait_for_fetches(__LINE__)
