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

// PAM frees the responses itself, so they come from malloc.
struct free_responses {
    void operator()(pam_response* responses) const { std::free(responses); }  // NOLINT(*-no-malloc)
};

void free_texts(std::span<pam_response> responses) {
    for (auto& response : responses) std::free(response.resp);  // NOLINT(*-no-malloc)
}

// Answers hidden prompts with the password; there is nobody to answer other prompts.
int converse(
    int count,
    const pam_message** messages,
    pam_response** responses_out,
    void* password_text) noexcept {
    if (count <= 0 || count > PAM_MAX_NUM_MSG) return PAM_CONV_ERR;
    const auto* password = static_cast<const std::string*>(password_text);
    const auto size = static_cast<std::size_t>(count);
    auto* const memory = std::calloc(size, sizeof(pam_response));  // NOLINT(*-no-malloc)
    std::unique_ptr<pam_response, free_responses> responses(static_cast<pam_response*>(memory));
    if (!responses) return PAM_BUF_ERR;
    const std::span response_list(responses.get(), size);
    const std::span message_list(messages, size);
    for (std::size_t index = 0; index < size; ++index) {
        const int style = message_list[index]->msg_style;
        if (style == PAM_TEXT_INFO || style == PAM_ERROR_MSG) continue;
        if (style == PAM_PROMPT_ECHO_OFF) response_list[index].resp = ::strdup(password->c_str());
        if (response_list[index].resp == nullptr) {
            free_texts(response_list);
            return PAM_CONV_ERR;
        }
    }
    // Some modules send messages and expect no response.
    if (responses_out == nullptr) {
        free_texts(response_list);
        return PAM_SUCCESS;
    }
    *responses_out = responses.release();
    return PAM_SUCCESS;
}

// Replaces PAM's delay after a failure, which would delay all waiting requests.
void skip_delay(int /*outcome*/, unsigned /*microseconds*/, void* /*data*/) noexcept {}

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

result<void> authenticate(const pam::stack& stack, const credentials& credentials) {
    // PAM texts end at the first NUL: the rest would be ignored.
    if (credentials.user.contains('\0') || credentials.password.contains('\0')
        || credentials.password.empty())
        return fail(errc::denied, "wrong password");
    auto password = credentials.password;
    const pam_conv conversation{.conv = &converse, .appdata_ptr = &password};
    pam_handle_t* handle = nullptr;
    const char* const directory = stack.directory.empty() ? nullptr : stack.directory.c_str();
    int outcome = ::pam_start_confdir(
        stack.service.c_str(), credentials.user.c_str(), &conversation, directory, &handle);
    if (outcome != PAM_SUCCESS)
        return fail(errc::unavailable, fmt::format("cannot start PAM: error {}", outcome));
    const auto* const delay = reinterpret_cast<const void*>(&skip_delay);  // NOLINT(*-cast)
    outcome = ::pam_set_item(handle, PAM_FAIL_DELAY, delay);
    constexpr int flags = static_cast<int>(PAM_SILENT) | PAM_DISALLOW_NULL_AUTHTOK;
    if (outcome == PAM_SUCCESS) outcome = ::pam_authenticate(handle, flags);
    if (outcome == PAM_SUCCESS) outcome = ::pam_acct_mgmt(handle, flags);
    const std::string message = ::pam_strerror(handle, outcome);
    static_cast<void>(::pam_end(handle, outcome));
    if (outcome == PAM_SUCCESS) return {};
    return fail(is_refusal(outcome) ? errc::denied : errc::unavailable, "PAM: " + message);
}

async<void> checker::check(credentials credentials) {
    return worker_.run<void>([stack = stack_, credentials = std::move(credentials)] {
        return authenticate(stack, credentials);
    });
}

}  // namespace muster::pam
