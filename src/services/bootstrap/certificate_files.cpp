#include "services/bootstrap/certificate_files.h"

#include "adapters/os/file.h"
#include "adapters/pki/pem_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

namespace muster::bootstrap {
namespace {

constexpr auto authority_file = "ca.pem";
constexpr auto authority_key_file = "ca-key.pem";
constexpr auto server_file = "server.pem";
constexpr auto server_key_file = "server-key.pem";
constexpr mode_t readable_by_all = 0644;

// The first certificate stands for the chain: the leaf comes first.
std::string chain_text(const std::vector<pki::certificate>& chain) {
    std::string text;
    for (const auto& each : chain) text += each.to_pem();
    return text;
}

// As with secret files of settings: who owns it, and a group that was given it, may read a key.
result<std::string> load_key(const std::filesystem::path& file) {
    TRY(auto text, os::load_file(file));
    std::error_code unknown;
    const auto mode = std::filesystem::status(file, unknown).permissions();
    if (!unknown && (mode & std::filesystem::perms::others_all) != std::filesystem::perms::none)
        return fail(
            errc::denied,
            fmt::format("{0} can be read by everybody; run: chmod o-rwx {0}", file.string()));
    const auto key = pki::private_key::from_pem(text);
    if (!key) return fail(key.error().within(file.string()));
    return text;
}

}  // namespace

result<std::optional<pki::authority>> certificate_files::find_authority(wall_time now) const {
    const bool has_certificate = std::filesystem::exists(where_.file(authority_file));
    const bool has_key = std::filesystem::exists(where_.file(authority_key_file));
    // A key alone is what a making that was cut short has left: nothing was ever signed with it.
    if (!has_certificate) return std::optional<pki::authority>();
    if (!has_key)
        return fail(
            errc::invalid,
            fmt::format(
                "{} has {} without {}; put the key back",
                where_.path().string(),
                authority_file,
                authority_key_file));
    TRY(const auto certificate, os::load_file(where_.file(authority_file)));
    TRY(const auto key, load_key(where_.file(authority_key_file)));
    auto read = pki::authority::from_pem(certificate, key);
    if (!read) return fail(read.error().within(where_.file(authority_file).string()));
    const auto valid = read->certificate().check_valid_at(now);
    if (!valid) return fail(valid.error().within(where_.file(authority_file).string()));
    return std::optional(std::move(*read));
}

result<pki::authority> certificate_files::make_authority(
    const std::string& cluster_id, wall_time now) const {
    TRY(auto result, pki::authority::make("muster " + cluster_id, now));
    const auto key = result.key().to_pem();
    const auto certificate = result.certificate().to_pem();
    CHECK_OK(os::save_file({.file = where_.file(authority_key_file), .text = key}));
    const auto saved = os::save_file(
        {.file = where_.file(authority_file), .text = certificate, .mode = readable_by_all});
    if (saved) return result;
    drop_authority();
    return fail(saved.error());
}

result<void> certificate_files::adopt_authority(
    const std::string& certificate, const std::string& key, const pki::fingerprint& print) const {
    TRY(const auto read, pki::authority::from_pem(certificate, key));
    if (read.certificate().fingerprint() != print)
        return fail(errc::denied, "the CA that was given is not the one the join token names");
    CHECK_OK(os::save_file({.file = where_.file(authority_key_file), .text = key}));
    const auto saved = os::save_file(
        {.file = where_.file(authority_file), .text = certificate, .mode = readable_by_all});
    if (!saved) drop_authority();
    return saved;
}

void certificate_files::drop_authority() const {
    std::error_code ignored;
    std::filesystem::remove(where_.file(authority_file), ignored);
    std::filesystem::remove(where_.file(authority_key_file), ignored);
}

result<pki::identity> certificate_files::unkept_identity(
    const pki::authority& from, wall_time now) const {
    return from.issue(
        {.name = options_.name,
         .hosts = options_.hosts,
         .now = now,
         .valid_for = options_.lifetime});
}

result<pki::identity> certificate_files::issue(const pki::authority& from, wall_time now) const {
    TRY(auto result, unkept_identity(from, now));
    // The certificate is what says that both are there, so it comes last.
    const auto key = result.key.to_pem();
    const auto chain = chain_text(result.chain);
    std::error_code ignored;
    std::filesystem::remove(where_.file(server_file), ignored);
    CHECK_OK(os::save_file({.file = where_.file(server_key_file), .text = key}));
    CHECK_OK(
        os::save_file({.file = where_.file(server_file), .text = chain, .mode = readable_by_all}));
    return result;
}

result<pki::identity> certificate_files::load_server_identity(wall_time now) const {
    TRY(const auto chain, os::load_file(where_.file(server_file)));
    const auto key = load_key(where_.file(server_key_file));
    if (!key && key.error().code() == errc::denied) return fail(key.error());
    if (!key)
        return fail(
            errc::invalid,
            fmt::format(
                "{}; put the key of {} there, or remove {} and start again to have the cluster's "
                "CA make both anew",
                key.error().detail(),
                server_file,
                where_.file(server_file).string()));
    auto read = pki::read_identity(chain, *key, now);
    if (read) return read;
    // Before its first day it is the clock that is wrong, and a new one would be wrong with it.
    const auto links = pki::certificate::chain_from_pem(chain);
    const bool early = links && std::ranges::any_of(*links, [now](const auto& link) {
                           return now < link.not_before();
                       });
    if (early) return fail(read.error().within(where_.file(server_file).string()));
    return fail(
        errc::invalid,
        fmt::format(
            "{}: {}; remove it and start again to have the cluster's CA make a new one",
            where_.file(server_file).string(),
            read.error().detail()));
}

result<pki::identity> certificate_files::server_identity(
    const pki::authority& from, wall_time now) const {
    if (!std::filesystem::exists(where_.file(server_file))) return issue(from, now);
    TRY(auto current, load_server_identity(now));
    // One that the operator brought is the operator's to renew.
    const bool ours = current.chain.front().is_signed_by(from.certificate());
    if (ours && renewal_due(current.chain.front()) <= now) return issue(from, now);
    return current;
}

wall_time certificate_files::renewal_due(const pki::certificate& current) {
    const auto life = current.not_after() - current.not_before();
    return current.not_after() - life / 3;
}

}  // namespace muster::bootstrap
