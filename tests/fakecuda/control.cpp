// What the control file says, read anew before each call; the log of calls.
#include <cstdio>
#include <dlfcn.h>
#include <fstream>
#include <sstream>
#include <vector>

#include "fakecuda.hpp"

namespace fake {

namespace {

const Profile PROFILES[] = {
    // name      driver  cc    integrated registers SMs threads attributes memory
    {"tx2", 10020, 6, 2, true, false, 2, 2048, 106, 8240123904ull},
    {"orin", 12060, 8, 7, true, true, 8, 1536, 145, 16ull << 30},
    {"discrete", 12090, 8, 6, false, true, 20, 1536, 147, 12ull << 30},
};

struct Rule {
    std::string call;
    unsigned nth; // counted since the file was written; 0: every one
    Fault fault;
};

std::string text; // of the control file as it was read last
std::vector<Rule> rules;
std::map<std::string, unsigned> counts;
bool logs = true;

// The folder of this library.
std::string beside(const char *name) {
    Dl_info info;
    static const char here = 0;
    if (dladdr(&here, &info) == 0) {
        return name;
    }
    const std::string path = info.dli_fname;
    return path.substr(0, path.rfind('/') + 1) + name;
}

std::string read(const std::string &path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

// Beginning anew: a GPU that was lost is back.
void reset() {
    rules.clear();
    counts.clear();
    state.attributes.clear();
    state.profile = PROFILES[0];
    state.sticky = 0;
    logs = true;
}

void bad(const std::string &line) {
    std::fprintf(stderr, "fakecuda: control.txt: unknown line: %s\n", line.c_str());
    std::exit(5);
}

void obey(const std::string &line) {
    std::istringstream words(line);
    std::string verb, name, code;
    words >> verb >> name;
    if (verb.empty() || verb[0] == '#') {
        return;
    }
    if (verb == "profile") {
        for (const Profile &profile : PROFILES) {
            if (profile.name == name) {
                state.profile = profile;
                return;
            }
        }
        bad(line);
    } else if (verb == "driver") {
        state.profile.driver = std::stoi(name);
    } else if (verb == "log") {
        logs = name == "on";
    } else if (verb == "attribute" && words >> code) {
        state.attributes[std::stoi(name)] = code == "refused" ? -1 : std::stoi(code);
    } else if (verb == "fail" || verb == "hang" || verb == "lose" || verb == "late") {
        Rule rule{name, 0, {}};
        rule.fault.kind = verb == "fail"   ? Fault::fail
                          : verb == "hang" ? Fault::hang
                          : verb == "lose" ? Fault::lose
                                           : Fault::late;
        const bool coded = verb == "fail" || verb == "lose";
        if (!(words >> rule.nth) || (coded && !(words >> rule.fault.code))) {
            bad(line);
        }
        rules.push_back(rule);
    } else {
        bad(line);
    }
}

} // namespace

bool sticky(int code) {
    return code == 700 || code == 702 || code == 709 || (code >= 714 && code <= 719) || code == 999;
}

Fault enter(const char *name) {
    static bool first = true;
    const std::string now = read(beside("control.txt"));
    if (first || now != text) {
        first = false;
        text = now;
        reset();
        std::istringstream lines(now);
        for (std::string line; std::getline(lines, line);) {
            obey(line);
        }
    }
    const unsigned nth = ++counts[name];
    for (const Rule &rule : rules) {
        if (rule.call == name && (rule.nth == 0 || rule.nth == nth)) {
            return rule.fault;
        }
    }
    return {};
}

void leave(const char *name, int code) {
    if (!logs) {
        return;
    }
    if (std::FILE *file = std::fopen(beside("calls.txt").c_str(), "a")) {
        std::fprintf(file, "%s %d\n", name, code);
        std::fclose(file);
    }
}

} // namespace fake
