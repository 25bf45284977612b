# The image of the action: one virtual environment, made in a stage of its own from the locked requirements.

FROM python:3.12-slim AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1 PIP_ROOT_USER_ACTION=ignore
WORKDIR /src
COPY requirements.txt ./
# By hash and as wheels: nothing that is downloaded runs while the image is built.
RUN python -m venv --without-pip /opt/venv \
    && pip --python /opt/venv/bin/python install --quiet --require-hashes --only-binary :all: -r requirements.txt
COPY requirements-dev.txt pyproject.toml README.md LICENSE ./
COPY sitemap_action ./sitemap_action
# Of the development lock only setuptools is taken: it builds the package, and stays in this stage.
RUN sed -n '/^setuptools==/,/[^\\]$/p' requirements-dev.txt > requirements-build.txt \
    && pip install --quiet --require-hashes --only-binary :all: -r requirements-build.txt \
    && pip wheel --quiet --no-deps --no-build-isolation --wheel-dir /wheels . \
    && pip --python /opt/venv/bin/python install --quiet --no-deps --no-index /wheels/*.whl

FROM python:3.12-slim
# git reads the baseline from the target branch. Its version is Debian's newest: only that one can be installed.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install -y --no-install-recommends git \
    && rm -rf /var/lib/apt/lists/*
COPY --from=build /opt/venv /opt/venv
ENV PATH=/opt/venv/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1
# No USER: a container action has to write the runner's file commands, which belong to another user on every machine.
# The program itself runs under any UID, on a read-only root, with or without HOME.
ENTRYPOINT ["/opt/venv/bin/sitemap-action"]
# GitHub starts the container without arguments: `run` takes mode and options from the action's inputs.
CMD ["run"]
