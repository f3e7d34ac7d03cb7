package compat

// catalogFile is a catalog as its host reads it.
type catalogFile struct {
	file string
	data []byte
	root any // the JSON, nil when it cannot be read
	repo Repo
}

func readCatalog(j *judge, file string, data []byte, repo Repo) *catalogFile {
	return &catalogFile{file: file, data: data, repo: repo}
}
