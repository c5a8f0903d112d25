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

result<std::string> program_in(const std::filesystem::path& file) {
    std::error_code failure;
    const auto size = std::filesystem::file_size(file, failure);
    if (failure) return fail(errc::invalid, fmt::format("path: cannot read {}", file.string()));
    if (size > update_bytes_max) return fail(errc::invalid, "path: the file is too large");
    std::string content(size, '\0');
    std::ifstream in(file, std::ios::binary);
    if (!in.read(content.data(), static_cast<std::streamsize>(size)))
        return fail(errc::invalid, fmt::format("path: cannot read {}", file.string()));
    return content;
}

result<std::string> bytes_in(arguments& from, std::string_view name) {
    auto bytes = from_hex(from.text(name).value_or(""));
    if (!bytes || bytes->empty())
        return fail(errc::invalid, fmt::format("{}: hexadecimal digits are needed", name));
    return bytes;
}

constexpr std::size_t version_parts_max = 4;

// "1.20.3". Nothing: it is no such text.
std::optional<std::vector<std::uint32_t>> version_in(std::string_view text) {
    std::vector<std::uint32_t> parts;
    const auto* at = text.data();
    const auto* const end = text.data() + text.size();
    while (parts.size() < version_parts_max) {
        std::uint32_t part = 0;
        const auto [stopped, bad] = std::from_chars(at, end, part);
        if (bad != std::errc()) return std::nullopt;
        parts.push_back(part);
        if (stopped == end) return parts;
        if (*stopped != '.') return std::nullopt;
        at = stopped + 1;
    }
    return std::nullopt;
}

result<void> check_age(std::string_view offered, std::string_view own) {
    const auto next = version_in(offered);
    if (!next) return fail(errc::invalid, "version: numbers with dots between them are needed");
    if (*next >= version_in(own).value_or(std::vector<std::uint32_t>())) return {};
    return fail(
        errc::denied,
        fmt::format(
            "version: {} is older than this agent, {}; sign it with \"downgrade\" if that is meant",
            offered,
            own));
}

}  // namespace

std::string signed_statement(std::string digest, std::string_view version, bool downgrade) {
    digest += version;
    if (downgrade) digest += " downgrade";
    return digest;
}

result<command> parse_update(
    const session::task_order& task, const command_limits& limits, const update_options& options) {
    if (!options.key)
        return fail(errc::denied, "this agent takes no updates: tasks.update_key_file is not set");
    TRY(auto from, arguments::parse(task.arguments));
    const auto path = from.text("path").value_or("");
    TRY(const auto digest, bytes_in(from, "sha256"));
    TRY(const auto signature, bytes_in(from, "signature"));
    const auto version = from.text("version").value_or("");
    const bool downgrade = from.flag("downgrade").value_or(false);
    CHECK_OK(from.finish());
    const auto statement = signed_statement(digest, version, downgrade);
    if (const auto signed_well = options.key->verify(statement, signature); !signed_well)
        return fail(
            errc::denied, "signature: it is not the update key's over this sha256 and version");
    if (!downgrade) {
        CHECK_OK(check_age(version, options.version));
    }
    TRY(const auto content, program_in(path));
    if (pki::sha256(content) != digest)
        return fail(errc::denied, fmt::format("path: {} is not what was signed", path));
    TRY(const auto whose, find_account("", ""));
    auto beside = options.program;
    beside += ".update";
    CHECK_OK(os::save_file({.file = beside, .text = content, .mode = 0755}));
    return command{
        .process =
            {.argv = {beside.string(), "version"},
             .environment = {},
             .directory = "/",
             .as = whose,
             .umask = std::nullopt,
             .input = {}},
        .output_max = limits.output_max,
        .script = beside,
        .takes_place_of = options.program};
}

}  // namespace muster::agent
