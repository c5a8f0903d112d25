#include "adapters/pam/pam.h"

#include <fmt/format.h>
#include <security/pam_appl.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <utility>

namespace muster::pam {
namespace {

// What PAM is told of a conversation: it frees the answers itself, so they come from malloc.
struct freed {
    void operator()(pam_response* answers) const { std::free(answers); }  // NOLINT(*-no-malloc)
};

void drop(std::span<pam_response> answers) {
    for (auto& answer : answers) std::free(answer.resp);  // NOLINT(*-no-malloc)
}

// The password answers what must not be shown; nothing else can be asked of somebody who is not
// there.
int answer(
    int count,
    const pam_message** pam_message,
    pam_response** answered,
    void* password_text) noexcept {
    if (count <= 0 || count > PAM_MAX_NUM_MSG) return PAM_CONV_ERR;
    const auto* password = static_cast<const std::string*>(password_text);
    const auto size = static_cast<std::size_t>(count);
    auto* const made = std::calloc(size, sizeof(pam_response));  // NOLINT(*-no-malloc)
    std::unique_ptr<pam_response, freed> answers(static_cast<pam_response*>(made));
    if (!answers) return PAM_BUF_ERR;
    const std::span all(answers.get(), size);
    const std::span questions(pam_message, size);
    for (std::size_t each = 0; each < size; ++each) {
        const int kind = questions[each]->msg_style;
        if (kind == PAM_TEXT_INFO || kind == PAM_ERROR_MSG) continue;
        if (kind == PAM_PROMPT_ECHO_OFF) all[each].resp = ::strdup(password->c_str());
        if (all[each].resp == nullptr) {
            drop(all);
            return PAM_CONV_ERR;
        }
    }
    // Some modules that only tell something do not want to hear anything.
    if (answered == nullptr) {
        drop(all);
        return PAM_SUCCESS;
    }
    *answered = answers.release();
    return PAM_SUCCESS;
}

// Replaces PAM's own pause after a failure, which would hold up everybody who waits.
void no_delay(int /*outcome*/, unsigned /*microseconds*/, void* /*data*/) noexcept {}

bool is_refusal(int outcome) {
    constexpr std::array refusals{
        PAM_AUTH_ERR,
        PAM_USER_UNKNOWN,
        PAM_MAXTRIES,
        PAM_ACCT_EXPIRED,
        PAM_NEW_AUTHTOK_REQD,
        PAM_PERM_DENIED,
        PAM_CRED_INSUFFICIENT};
    return std::ranges::find(refusals, outcome) != refusals.end();
}

}  // namespace

result<void> authenticate(const stack& by, const credentials& credentials) {
    // PAM takes texts that end with a NUL: what follows one would be ignored.
    if (credentials.user.contains('\0') || credentials.password.contains('\0')
        || credentials.password.empty())
        return fail(errc::denied, "wrong password");
    auto secret = credentials.password;
    const pam_conv talk{.conv = &answer, .appdata_ptr = &secret};
    pam_handle_t* handle = nullptr;
    const char* const directory = by.directory.empty() ? nullptr : by.directory.c_str();
    int outcome = ::pam_start_confdir(
        by.service.c_str(), credentials.user.c_str(), &talk, directory, &handle);
    if (outcome != PAM_SUCCESS)
        return fail(errc::unavailable, fmt::format("PAM does not start: error {}", outcome));
    const auto* const delay = reinterpret_cast<const void*>(&no_delay);  // NOLINT(*-cast)
    outcome = ::pam_set_item(handle, PAM_FAIL_DELAY, delay);
    constexpr int quietly = static_cast<int>(PAM_SILENT) | PAM_DISALLOW_NULL_AUTHTOK;
    if (outcome == PAM_SUCCESS) outcome = ::pam_authenticate(handle, quietly);
    if (outcome == PAM_SUCCESS) outcome = ::pam_acct_mgmt(handle, quietly);
    const std::string message = ::pam_strerror(handle, outcome);
    static_cast<void>(::pam_end(handle, outcome));
    if (outcome == PAM_SUCCESS) return {};
    return fail(is_refusal(outcome) ? errc::denied : errc::unavailable, "PAM: " + message);
}

async<void> checker::check(credentials credentials) {
    return worker_.run<void>(
        [by = by_, credentials = std::move(credentials)] { return authenticate(by, credentials); });
}

}  // namespace muster::pam
