#pragma once

// libsolv's headers. They are older than C++20 and call a member `requires`, which is a word of the
// language now: here it has another name. Standard headers come first, so that none of them is read
// while the word is hidden.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wkeyword-macro"
#define requires requires_of_solvable
extern "C" {
#include <solv/chksum.h>
#include <solv/dataiterator.h>
#include <solv/evr.h>
#include <solv/pool.h>
#include <solv/repo.h>
#include <solv/solvable.h>
}
#undef requires
#pragma clang diagnostic pop
