#include "adapters/os/random.h"

#include "base/assert.h"

#include <sys/random.h>

#include <cerrno>
#include <string_view>

namespace muster::os {
namespace {

constexpr std::string_view letters = "abcdefghjkmnpqrstuvwxyz23456789";
constexpr std::size_t group_size = 5;
constexpr std::size_t password_letters = 5 * group_size;

}  // namespace

std::string random_bytes(std::size_t count) {
    std::string bytes(count, '\0');
    for (std::size_t filled = 0; filled < count;) {
        const auto got = ::getrandom(bytes.data() + filled, count - filled, 0);
        if (got < 0 && errno == EINTR) continue;
        MUSTER_ASSERT(got > 0);  // a kernel without randomness is no place for keys
        filled += static_cast<std::size_t>(got);
    }
    return bytes;
}

std::string random_password() {
    // Bytes beyond the last whole multiple are thrown away, so that every letter is as likely.
    constexpr std::size_t fair = 256 - 256 % letters.size();
    std::string password;
    for (std::size_t reserved = 0; reserved < password_letters;) {
        const auto drawn = static_cast<unsigned char>(random_bytes(1).front());
        if (drawn >= fair) continue;
        if (reserved > 0 && reserved % group_size == 0) password += '-';
        password += letters[drawn % letters.size()];
        ++reserved;
    }
    return password;
}

}  // namespace muster::os
