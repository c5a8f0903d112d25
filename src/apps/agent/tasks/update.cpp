#include "apps/agent/tasks/update.h"

#include "adapters/os/file.h"
#include "adapters/pki/fingerprint.h"
#include "apps/agent/tasks/arguments.h"
#include "base/hex.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <fstream>
#include <vector>

namespace muster::agent {
namespace {

result<std::string> read_program(const std::filesystem::path& file) {
    std::error_code failure;
    const auto size = std::filesystem::file_size(file, failure);
    if (failure) return fail(errc::invalid, fmt::format("path: cannot read {}", file.string()));
    if (size > update_bytes_max) return fail(errc::invalid, "path: file too large");
    std::string content(size, '\0');
    std::ifstream stream(file, std::ios::binary);
    if (!stream.read(content.data(), static_cast<std::streamsize>(size)))
        return fail(errc::invalid, fmt::format("path: cannot read {}", file.string()));
    return content;
}

result<std::string> read_bytes(arguments& args, std::string_view name) {
    auto bytes = from_hex(args.text(name).value_or(""));
    if (!bytes || bytes->empty())
        return fail(errc::invalid, fmt::format("{}: hexadecimal digits required", name));
    return bytes;
}

constexpr std::size_t version_parts_max = 4;

// "1.20.3"; nullopt if the text has another form.
std::optional<std::vector<std::uint32_t>> parse_version(std::string_view text) {
    std::vector<std::uint32_t> parts;
    const auto* position = text.data();
    const auto* const end = text.data() + text.size();
    while (parts.size() < version_parts_max) {
        std::uint32_t part = 0;
        const auto [stopped, bad] = std::from_chars(position, end, part);
        if (bad != std::errc()) return std::nullopt;
        parts.push_back(part);
        if (stopped == end) return parts;
        if (*stopped != '.') return std::nullopt;
        position = stopped + 1;
    }
    return std::nullopt;
}

result<void> check_version(std::string_view offered, std::string_view current) {
    const auto version = parse_version(offered);
    if (!version) return fail(errc::invalid, "version: expected numbers separated by dots");
    if (*version >= parse_version(current).value_or(std::vector<std::uint32_t>())) return {};
    return fail(
        errc::denied,
        fmt::format(
            "version: {} is older than the agent's version {}; sign with \"downgrade\" to allow "
            "the downgrade",
            offered,
            current));
}

}  // namespace

std::string signed_statement(std::string digest, std::string_view version, bool downgrade) {
    digest += version;
    if (downgrade) digest += " downgrade";
    return digest;
}

result<command> parse_update(
    const session::task_request& task,
    const command_limits& limits,
    const update_options& options) {
    if (!options.key)
        return fail(errc::denied, "agent updates are disabled; set tasks.update_key_file");
    TRY(auto args, arguments::parse(task.arguments));
    const auto path = args.text("path").value_or("");
    TRY(const auto digest, read_bytes(args, "sha256"));
    TRY(const auto signature, read_bytes(args, "signature"));
    const auto version = args.text("version").value_or("");
    const bool downgrade = args.flag("downgrade").value_or(false);
    CHECK_OK(args.finish());
    const auto statement = signed_statement(digest, version, downgrade);
    if (const auto verified = options.key->verify(statement, signature); !verified)
        return fail(
            errc::denied,
            "signature: not a valid signature of this sha256 and version by the update key");
    if (!downgrade) {
        CHECK_OK(check_version(version, options.version));
    }
    TRY(const auto content, read_program(path));
    if (pki::sha256(content) != digest)
        return fail(errc::denied, fmt::format("path: {} does not match the signed sha256", path));
    TRY(const auto account, find_account("", ""));
    auto new_program = options.program;
    new_program += ".update";
    CHECK_OK(os::save_file({.file = new_program, .text = content, .mode = 0755}));
    return command{
        .process =
            {.argv = {new_program.string(), "version"},
             .environment = {},
             .directory = "/",
             .account = account,
             .umask = std::nullopt,
             .input = {}},
        .output_max = limits.output_max,
        .script = new_program,
        .replaces = options.program};
}

}  // namespace muster::agent
