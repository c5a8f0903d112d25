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
constexpr std::size_t fingerprint_digits_min = 16;
constexpr std::size_t fingerprint_digits_max = 64;
constexpr std::size_t output_bytes_max = std::size_t{64} * 1024;
constexpr auto timeout = std::chrono::seconds(20);

// A private directory, removed by the destructor.
class temporary_directory {
public:
    static result<temporary_directory> create() {
        auto name = (fs::temp_directory_path() / "muster-signature-XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr)
            return fail(errc::unavailable, "cannot create a directory for the signature check");
        return temporary_directory(name);
    }
    temporary_directory(temporary_directory&& other) noexcept
        : path_(std::exchange(other.path_, {})) {}
    temporary_directory& operator=(temporary_directory&&) = delete;
    temporary_directory(const temporary_directory&) = delete;
    temporary_directory& operator=(const temporary_directory&) = delete;
    ~temporary_directory() {
        std::error_code ignored;
        if (!path_.empty()) fs::remove_all(path_, ignored);
    }

    std::string file(const char* name) const { return (path_ / name).string(); }
    std::string path() const { return path_.string(); }

    result<void> write(const char* name, std::string_view bytes) const {
        std::ofstream stream(path_ / name, std::ios::binary);
        stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
        stream.close();
        if (!stream) return fail(errc::unavailable, "cannot write files for the signature check");
        return {};
    }

private:
    explicit temporary_directory(fs::path path) : path_(std::move(path)) {}
    fs::path path_;
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

std::unexpected<error> gpgv_error(const char* problem) {
    return fail(
        errc::unavailable,
        fmt::format("signature check failed: {} {}; install gpgv", program, problem));
}

result<pid_t> start(std::vector<std::string> argv, int output) {
    std::vector<char*> arguments;
    for (auto& argument : argv) arguments.push_back(argument.data());
    arguments.push_back(nullptr);
    std::string language = "LC_ALL=C";
    std::array<char*, 2> environment{language.data(), nullptr};
    posix_spawn_file_actions_t streams;
    posix_spawn_file_actions_init(&streams);
    posix_spawn_file_actions_addopen(&streams, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&streams, output, STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&streams, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    pid_t child = 0;
    const int failed =
        ::posix_spawn(&child, program, &streams, nullptr, arguments.data(), environment.data());
    posix_spawn_file_actions_destroy(&streams);
    if (failed != 0) return gpgv_error("could not be started");
    return child;
}

// Reads all output. nullopt if there is too much of it or the timeout passes.
std::optional<std::string> read_all(int descriptor_number, const muster::clock& clock) {
    std::string output;
    std::array<char, 4096> buffer{};
    const auto deadline = clock.now() + timeout;
    while (output.size() <= output_bytes_max) {
        const auto remaining =
            std::chrono::duration_cast<std::chrono::milliseconds>(deadline - clock.now());
        pollfd poll_entry{.fd = descriptor_number, .events = POLLIN, .revents = 0};
        if (remaining.count() <= 0
            || ::poll(&poll_entry, 1, static_cast<int>(remaining.count())) == 0)
            return std::nullopt;
        const auto size = ::read(descriptor_number, buffer.data(), buffer.size());
        if (size < 0 && errno == EINTR) continue;
        if (size <= 0) return output;
        output.append(buffer.data(), static_cast<std::size_t>(size));
    }
    return std::nullopt;
}

result<std::string> run(std::vector<std::string> argv, const muster::clock& clock) {
    std::array<int, 2> pipe_ends{};
    if (::pipe2(pipe_ends.data(), O_CLOEXEC) != 0) return gpgv_error("output could not be read");
    const descriptor read_end(pipe_ends[0]);
    descriptor write_end(pipe_ends[1]);
    TRY(const auto child, start(std::move(argv), write_end.get()));
    write_end.close();
    const auto output = read_all(read_end.get(), clock);
    if (!output) ::kill(child, SIGKILL);
    while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {}
    if (!output) return gpgv_error("timed out");
    return *output;
}

std::vector<std::string_view> split_words(std::string_view line) {
    std::vector<std::string_view> words;
    while (!line.empty()) {
        const auto end = std::min(line.find(' '), line.size());
        if (end > 0) words.push_back(line.substr(0, end));
        line.remove_prefix(std::min(end + 1, line.size()));
    }
    return words;
}

// True if one of the signatures is good and made by the key or one of its subkeys. Signatures by
// unknown keys are ignored.
bool is_good(std::string_view output, std::string_view fingerprint) {
    bool good = false;
    while (!output.empty()) {
        const auto end = std::min(output.find('\n'), output.size());
        const auto words = split_words(output.substr(0, end));
        output.remove_prefix(std::min(end + 1, output.size()));
        if (words.size() < 3 || words[0] != "[GNUPG:]") continue;
        if (words[1] == "BADSIG") return false;
        if (words[1] == "NEWSIG" || words[1].ends_with("KEYSIG")) good = false;
        if (words[1] == "GOODSIG") good = true;
        if (!good || words[1] != "VALIDSIG") continue;
        if (words[2].ends_with(fingerprint) || words.back().ends_with(fingerprint)) return true;
    }
    return false;
}

}  // namespace

result<std::string> normalize_fingerprint(std::string_view text) {
    std::string result;
    for (const char character : text) {
        if (character == ' ' || character == ':') continue;
        result += character >= 'a' && character <= 'z' ? static_cast<char>(character - 'a' + 'A')
                                                       : character;
    }
    if (result.starts_with("0X")) result.erase(0, 2);
    const bool valid = result.size() >= fingerprint_digits_min
                       && result.size() <= fingerprint_digits_max
                       && result.find_first_not_of("0123456789ABCDEF") == std::string::npos;
    if (valid) return result;
    return fail(
        errc::invalid, "key fingerprint must have at least 16 hexadecimal digits (usually 40)");
}

result<std::string> remove_armour(std::string_view text) {
    constexpr std::string_view begin = "-----BEGIN PGP PUBLIC KEY BLOCK-----";
    constexpr std::string_view end = "-----END PGP PUBLIC KEY BLOCK-----";
    const auto start = text.find(begin);
    if (start == std::string_view::npos) return std::string(text);
    text.remove_prefix(start + begin.size());
    const auto stop = text.find(end);
    if (stop == std::string_view::npos) return fail(errc::invalid, "key has no END line");
    text = text.substr(0, stop);
    std::string lines;
    bool in_body = false;  // behind the header fields, which an empty line ends
    bool first = true;
    while (!text.empty()) {
        const auto line_end = std::min(text.find('\n'), text.size());
        auto line = text.substr(0, line_end);
        text.remove_prefix(std::min(line_end + 1, text.size()));
        while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
        const bool rest_of_begin = std::exchange(first, false);
        if (!in_body) {
            in_body = line.empty() && !rest_of_begin;
            continue;
        }
        if (!line.starts_with('=')) lines += line;  // skips the checksum
    }
    return pki::from_base64(lines);
}

result<void> check_signature(
    const signed_index& index, const signing_key& key, const muster::clock& clock) {
    TRY(const auto fingerprint, normalize_fingerprint(key.fingerprint));
    TRY(const auto block, remove_armour(key.block));
    TRY(const auto directory, temporary_directory::create());
    CHECK_OK(directory.write("key.gpg", block));
    CHECK_OK(directory.write("index", index.index));
    CHECK_OK(directory.write("signature", index.signature));
    std::vector<std::string> argv{
        program, "--homedir", directory.path(), "--keyring", directory.file("key.gpg")};
    for (const auto& argument :
         {std::string("--status-fd"),
          std::string("1"),
          directory.file("signature"),
          directory.file("index")})
        argv.push_back(argument);
    TRY(const auto output, run(std::move(argv), clock));
    if (is_good(output, fingerprint)) return {};
    return fail(
        errc::corrupt,
        "repository index has no valid signature of channel key \"" + fingerprint + "\"");
}

}  // namespace muster::repository
