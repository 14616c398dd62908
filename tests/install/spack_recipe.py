"""spack_recipe.py ROOT: the Spack recipe against what it describes, without Spack: versions, dependencies, options, jobs.

The recipe is run with stand-ins for Spack's directives, which note what they are given.
"""
import pathlib
import re
import sys
import types

# Debian's package: Spack's.
NAMES = {
    "libjs-chart.js": None,  # Spack has no Chart.js: without it pages have no plots
    "g++": "cxx", "cmake": "cmake", "ninja-build": "ninja", "libspdlog-dev": "spdlog", "libfmt-dev": "fmt",
    "libyaml-cpp-dev": "yaml-cpp", "libcli11-dev": "cli11", "nlohmann-json3-dev": "nlohmann-json",
    "libmuparser-dev": "muparser", "libssl-dev": "openssl", "zlib1g-dev": "zlib-api", "libboost-context-dev": "boost",
}


class Recipe:
    """What the directives of a recipe were given."""

    def __init__(self, path):
        self.versions, self.variants, self.dependencies, self.options = [], [], {}, set()
        cmake = types.ModuleType("spack_repo.builtin.build_systems.cmake")
        cmake.generator = lambda *names, **_: [self.depends_on(name) for name in names]
        cmake.CMakePackage = type("CMakePackage", (), {
            "define": lambda _, option, value: self.options.add(option) or f"-D{option}={value}",
            "define_from_variant": lambda _, option, variant: self.from_variant(option, variant)})
        package = types.ModuleType("spack.package")
        package.version = lambda name, **_: self.versions.append(name)
        package.variant = lambda name, **_: self.variants.append(name)
        package.depends_on = self.depends_on
        package.license = package.conflicts = lambda *_, **__: None
        package.when = lambda condition: When()
        package.Executable = package.join_path = None
        for name in ("spack", "spack_repo", "spack_repo.builtin", "spack_repo.builtin.build_systems"):
            sys.modules[name] = types.ModuleType(name)
        sys.modules[cmake.__name__], sys.modules[package.__name__] = cmake, package
        content = {}
        exec(compile(path.read_text(), str(path), "exec"), content)
        content["Kiln"]().cmake_args()

    def depends_on(self, spec, **_):
        name, rest = re.match(r"([a-z0-9-]+)(.*)", spec).groups()
        self.dependencies.setdefault(name, rest.strip())

    def from_variant(self, option, variant):
        if variant not in self.variants:
            raise SystemExit(f"package.py: {option} is of the variant {variant}, which is not declared")
        self.options.add(option)


class When:
    def __enter__(self):
        pass

    def __exit__(self, *_):
        pass


def main(root):
    recipe_path = root / "packaging/spack/spack_repo/kiln/packages/kiln/package.py"
    recipe = Recipe(recipe_path)
    project = (root / "CMakeLists.txt").read_text()
    problems = []

    version = re.search(r"^project\(kiln VERSION (\S+)", project, re.M)[1]
    if version not in recipe.versions:
        problems.append(f"no version {version}, which CMakeLists.txt has; there are {', '.join(recipe.versions)}")
    minimum = re.search(r"^cmake_minimum_required\(VERSION (\S+)\)", project, re.M)[1]
    if recipe.dependencies.get("cmake") != f"@{minimum}:":
        problems.append(f"CMakeLists.txt needs cmake {minimum}, the recipe cmake{recipe.dependencies.get('cmake')}")

    lines = (root / "tools/packages.txt").read_text().splitlines()
    debian = [line.split()[0] for line in lines if re.fullmatch(r"\S+\s+build", line)]
    found_by_cmake = set()
    for name in ("KilnDependencies", "KilnLinkDependencies"):
        text = re.sub(r"#.*", "", (root / f"cmake/{name}.cmake").read_text())
        found_by_cmake |= set(re.findall(r"\b(?:lib|zlib1g|nlohmann-json3)[a-z0-9+-]*-dev\b", text))
    for package in sorted(found_by_cmake - set(debian) - {"libc6-dev", "libgtest-dev", "libgmock-dev"}):
        problems.append(f"tools/packages.txt does not have {package}, which CMake asks for")
    for package in debian:
        if package not in NAMES:
            problems.append(f"{package} of tools/packages.txt: say in {pathlib.Path(__file__).name} what Spack calls it")
    wanted = {NAMES[package] for package in debian if NAMES.get(package)}
    for name in sorted(wanted - set(recipe.dependencies)):
        problems.append(f"no depends_on(\"{name}\"), which tools/packages.txt has")
    for name in sorted(set(recipe.dependencies) - wanted):
        problems.append(f"depends_on(\"{name}\"), which tools/packages.txt does not have")

    for option in sorted(recipe.options):
        if f"option({option} " not in project:
            problems.append(f"{option} is no option of CMakeLists.txt")
    for job in re.findall(r'"(\w+\.yaml)"', recipe_path.read_text()):
        if not (root / "configs" / job).is_file():
            problems.append(f"there is no configs/{job}")

    for problem in problems:
        print(f"package.py: {problem}")
    if not problems:
        print(f"package.py: version {version}, {len(recipe.dependencies)} dependencies, {len(recipe.options)} options agree")
    return 1 if problems else 0


sys.exit(main(pathlib.Path(sys.argv[1])))
