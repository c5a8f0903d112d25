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
        const auto size = ::getrandom(bytes.data() + filled, count - filled, 0);
        if (size < 0 && errno == EINTR) continue;
        MUSTER_ASSERT(size > 0);  // keys need randomness
        filled += static_cast<std::size_t>(size);
    }
    return bytes;
}

std::string random_password() {
    // Skips bytes beyond the last whole multiple, so that all letters are equally likely.
    constexpr std::size_t unbiased_max = 256 - 256 % letters.size();
    std::string password;
    for (std::size_t count = 0; count < password_letters;) {
        const auto byte = static_cast<unsigned char>(random_bytes(1).front());
        if (byte >= unbiased_max) continue;
        if (count > 0 && count % group_size == 0) password += '-';
        password += letters[byte % letters.size()];
        ++count;
    }
    return password;
}

}  // namespace muster::os
