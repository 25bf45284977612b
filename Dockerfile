# The image of the action: one virtual environment, made in a stage of its own from the locked requirements.
# The target `browser` is the same with Chromium, for pages that only scripts build.

# The one place that names the base image. A release adds the digest that the registry resolves (@sha256:…) to this line;
# `.ci/release` refuses without it, and Dependabot keeps it current.
FROM python:3.13-slim AS base

FROM base AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1 PIP_ROOT_USER_ACTION=ignore
WORKDIR /src
COPY requirements.txt requirements-dev.txt pyproject.toml README.md LICENSE ./
COPY sitemap_action ./sitemap_action
# By hash and as wheels: no package runs code while it is installed. Of the development lock only flit-core
# is taken: it builds the package, and stays in this stage. Modules are compiled once, with the hash of the source and not
# its time: another build has the same bytes, and a start reads no clock. One step, for each writes a layer: most images
# are built once, where nothing is cached.
RUN python -m venv --without-pip /opt/venv \
    && sed -n '/^flit-core==/,/[^\\]$/p' requirements-dev.txt > requirements-build.txt \
    && pip install --quiet --no-compile --require-hashes --only-binary :all: -r requirements-build.txt \
    && SOURCE_DATE_EPOCH=315532800 python -m flit_core.wheel --outdir /wheels \
    && pip --python /opt/venv/bin/python install --quiet --no-compile --require-hashes --only-binary :all: -r requirements.txt \
    && pip --python /opt/venv/bin/python install --quiet --no-compile --no-deps --no-index /wheels/*.whl \
    && /opt/venv/bin/python -m compileall -q -j 1 --invalidation-mode unchecked-hash /opt/venv/lib

FROM base AS system
# git reads the baseline from the target branch. Of its package stay the program and HTTPS; perl and scripts do not.
COPY .ci/git-only /etc/dpkg/dpkg.cfg.d/git-only
# Its version is Debian's newest, for only that one can be installed. Nothing in the image may raise its privileges.
# The lists of packages are read once for both commands: images of Debian keep no cache of them.
# hadolint ignore=DL3008
RUN echo 'Dir::Cache { pkgcache "/tmp/packages"; srcpkgcache "/tmp/sources"; };' >/etc/apt/apt.conf.d/zz-once \
    && apt-get update \
    && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends git \
    && rm -rf /tmp/packages /tmp/sources /etc/apt/apt.conf.d/zz-once /var/lib/apt/lists/* /etc/dpkg/dpkg.cfg.d/git-only \
        /var/log/apt /var/log/*.log /var/cache/ldconfig/aux-cache /var/cache/debconf/*-old /var/lib/dpkg/*-old \
    && find / -xdev -type f -perm /6000 -exec chmod a-s {} +
ENV PATH=/opt/venv/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 PYTHONSAFEPATH=1 SQLITE_TMPDIR=/tmp
# No USER: action/start.sh names the owner of the workspace, and a pipeline elsewhere its own user. The program needs
# neither a capability, nor a root that can be written, nor a HOME.
ENTRYPOINT ["/opt/venv/bin/sitemap-action"]

FROM system AS browser
# Without graphics drivers: nothing is drawn. Its version is Debian's newest, as that of git.
COPY .ci/browser-only /etc/dpkg/dpkg.cfg.d/browser-only
# hadolint ignore=DL3008
RUN echo 'Dir::Cache { pkgcache "/tmp/packages"; srcpkgcache "/tmp/sources"; };' >/etc/apt/apt.conf.d/zz-once \
    && apt-get update \
    && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends chromium-headless-shell \
    && rm -rf /tmp/packages /tmp/sources /etc/apt/apt.conf.d/zz-once /var/lib/apt/lists/* /etc/dpkg/dpkg.cfg.d/browser-only \
        /var/log/apt /var/log/*.log /var/cache/ldconfig/aux-cache /var/cache/debconf/*-old /var/lib/dpkg/*-old \
    && find / -xdev -type f -perm /6000 -exec chmod a-s {} +
COPY --from=build /opt/venv /opt/venv

# The last stage is what a builder makes that is told no target.
FROM system AS plain
COPY --from=build /opt/venv /opt/venv
