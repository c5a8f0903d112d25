#include "adapters/repository/signature.h"

#include "adapters/pki/base64.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <optional>
#include <poll.h>
#include <spawn.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace muster::repository {
namespace {

namespace fs = std::filesystem;

constexpr const char* program = "/usr/bin/gpgv";
constexpr std::size_t print_digits_min = 16;
constexpr std::size_t print_digits_max = 64;
constexpr std::size_t told_bytes_max = std::size_t{64} * 1024;
constexpr auto timeout = std::chrono::seconds(20);

// A directory of ours alone, gone with it.
class workplace {
public:
    static result<workplace> make() {
        auto name = (fs::temp_directory_path() / "muster-signature-XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr)
            return fail(errc::unavailable, "no directory could be made to check a signature in");
        return workplace(name);
    }
    workplace(workplace&& other) noexcept : at_(std::exchange(other.at_, {})) {}
    workplace& operator=(workplace&&) = delete;
    workplace(const workplace&) = delete;
    workplace& operator=(const workplace&) = delete;
    ~workplace() {
        std::error_code gone;
        if (!at_.empty()) fs::remove_all(at_, gone);
    }

    std::string file(const char* name) const { return (at_ / name).string(); }
    std::string path() const { return at_.string(); }

    result<void> put(const char* name, std::string_view bytes) const {
        std::ofstream to(at_ / name, std::ios::binary);
        to.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
        to.close();
        if (!to) return fail(errc::unavailable, "there is no room to check a signature");
        return {};
    }

private:
    explicit workplace(fs::path at) : at_(std::move(at)) {}
    fs::path at_;
};

class descriptor {
public:
    explicit descriptor(int number) : number_(number) {}
    descriptor(const descriptor&) = delete;
    descriptor& operator=(const descriptor&) = delete;
    ~descriptor() { close(); }
    void close() {
        if (number_ >= 0) ::close(std::exchange(number_, -1));
    }
    int get() const { return number_; }

private:
    int number_;
};

std::unexpected<error> not_asked(const char* why) {
    return fail(
        errc::unavailable,
        fmt::format("the signature was not checked: {} {}; is gpgv installed?", program, why));
}

result<pid_t> start(std::vector<std::string> argv, int output) {
    std::vector<char*> words;
    for (auto& each : argv) words.push_back(each.data());
    words.push_back(nullptr);
    std::string language = "LC_ALL=C";
    std::array<char*, 2> environment{language.data(), nullptr};
    posix_spawn_file_actions_t streams;
    posix_spawn_file_actions_init(&streams);
    posix_spawn_file_actions_addopen(&streams, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&streams, output, STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&streams, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    pid_t child = 0;
    const int failed =
        ::posix_spawn(&child, program, &streams, nullptr, words.data(), environment.data());
    posix_spawn_file_actions_destroy(&streams);
    if (failed != 0) return not_asked("could not be started");
    return child;
}

// Everything it says until it ends. Nothing: it says too much, or takes too long.
std::optional<std::string> read_all(int from, const muster::clock& clock) {
    std::string response;
    std::array<char, 4096> piece{};
    const auto end = clock.now() + timeout;
    while (response.size() <= told_bytes_max) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - clock.now());
        pollfd waited{.fd = from, .events = POLLIN, .revents = 0};
        if (left.count() <= 0 || ::poll(&waited, 1, static_cast<int>(left.count())) == 0)
            return std::nullopt;
        const auto size = ::read(from, piece.data(), piece.size());
        if (size < 0 && errno == EINTR) continue;
        if (size <= 0) return response;
        response.append(piece.data(), static_cast<std::size_t>(size));
    }
    return std::nullopt;
}

result<std::string> run(std::vector<std::string> argv, const muster::clock& clock) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return not_asked("could not be listened to");
    const descriptor out(ends[0]);
    descriptor in(ends[1]);
    TRY(const auto child, start(std::move(argv), in.get()));
    in.close();
    const auto all = read_all(out.get(), clock);
    if (!all) ::kill(child, SIGKILL);
    while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {}
    if (!all) return not_asked("did not end");
    return *all;
}

std::vector<std::string_view> words_of(std::string_view line) {
    std::vector<std::string_view> words;
    while (!line.empty()) {
        const auto end = std::min(line.find(' '), line.size());
        if (end > 0) words.push_back(line.substr(0, end));
        line.remove_prefix(std::min(end + 1, line.size()));
    }
    return words;
}

// Whether one of the signatures is good and made by the key or by one below it. Others may be there
// by keys that are not known here: that says nothing.
bool is_good(std::string_view response, std::string_view print) {
    bool good = false;
    while (!response.empty()) {
        const auto end = std::min(response.find('\n'), response.size());
        const auto words = words_of(response.substr(0, end));
        response.remove_prefix(std::min(end + 1, response.size()));
        if (words.size() < 3 || words[0] != "[GNUPG:]") continue;
        if (words[1] == "BADSIG") return false;
        if (words[1] == "NEWSIG" || words[1].ends_with("KEYSIG")) good = false;
        if (words[1] == "GOODSIG") good = true;
        if (!good || words[1] != "VALIDSIG") continue;
        if (words[2].ends_with(print) || words.back().ends_with(print)) return true;
    }
    return false;
}

}  // namespace

result<std::string> one_print(std::string_view text) {
    std::string result;
    for (const char each : text) {
        if (each == ' ' || each == ':') continue;
        result += each >= 'a' && each <= 'z' ? static_cast<char>(each - 'a' + 'A') : each;
    }
    if (result.starts_with("0X")) result.erase(0, 2);
    const bool well = result.size() >= print_digits_min && result.size() <= print_digits_max
                      && result.find_first_not_of("0123456789ABCDEF") == std::string::npos;
    if (well) return result;
    return fail(
        errc::invalid,
        "a key's fingerprint has 40 hexadecimal digits; at least 16 are needed to mean one key");
}

result<std::string> without_armour(std::string_view text) {
    constexpr std::string_view begin = "-----BEGIN PGP PUBLIC KEY BLOCK-----";
    constexpr std::string_view end = "-----END PGP PUBLIC KEY BLOCK-----";
    const auto from = text.find(begin);
    if (from == std::string_view::npos) return std::string(text);
    text.remove_prefix(from + begin.size());
    const auto to = text.find(end);
    if (to == std::string_view::npos) return fail(errc::invalid, "the key has no end");
    text = text.substr(0, to);
    std::string lines;
    bool within = false;  // behind the fields, which an empty line ends
    bool first = true;
    while (!text.empty()) {
        const auto stop = std::min(text.find('\n'), text.size());
        auto line = text.substr(0, stop);
        text.remove_prefix(std::min(stop + 1, text.size()));
        while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
        const bool rest_of_begin = std::exchange(first, false);
        if (!within) {
            within = line.empty() && !rest_of_begin;
            continue;
        }
        if (!line.starts_with('=')) lines += line;  // that is its checksum
    }
    return pki::from_base64(lines);
}

result<void> check_signature(
    const signed_index& signed_index, const signing_key& key, const muster::clock& clock) {
    TRY(const auto print, one_print(key.print));
    TRY(const auto block, without_armour(key.block));
    TRY(const auto place, workplace::make());
    CHECK_OK(place.put("key.gpg", block));
    CHECK_OK(place.put("index", signed_index.index));
    CHECK_OK(place.put("signature", signed_index.signature));
    std::vector<std::string> argv{
        program, "--homedir", place.path(), "--keyring", place.file("key.gpg")};
    for (const auto& each :
         {std::string("--status-fd"),
          std::string("1"),
          place.file("signature"),
          place.file("index")})
        argv.push_back(each);
    TRY(const auto response, run(std::move(argv), clock));
    if (is_good(response, print)) return {};
    return fail(
        errc::corrupt,
        "the repository's index has no good signature by the channel's key " + print);
}

}  // namespace muster::repository
